import { connect } from 'node:net';
import { relayTo } from './publish.ts';

/** Run inside a machine, `node unix-relay.ts SOCKET HOST PORT`: joins a Unix socket to a TCP port. */
const [socket = '', host = '', port = ''] = process.argv.slice(2);
relayTo(() => connect({ host, port: Number(port), allowHalfOpen: true })).listen(socket, () => {
  process.stdout.write('relaying\n');
});

import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createServer } from 'node:tls';

/**
 * Runs inside a machine, `node tls-front.ts ADDRESS PORT CERTIFICATE KEY TO`: takes TLS at the address and port, and
 * passes what is inside on to the port TO of the same address, as stunnel does.
 */

const [host = '', port = '0', certificate = '', key = '', to = '0'] = process.argv.slice(2);

createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (client) => {
  const inner = connect({ host, port: Number(to) });
  client.on('error', () => inner.destroy()).on('close', () => inner.destroy());
  inner.on('error', () => client.destroy()).on('close', () => client.destroy());
  client.pipe(inner).pipe(client);
}).listen(Number(port), host);

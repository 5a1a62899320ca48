import type { Machine } from '../../../lab/machine/machine.ts';
import { helloParams } from './raw-client.ts';

/** Who calls. */
export interface Caller {
  uid: number;
  gid: number;
  groups?: number | undefined;
  /** Bytes that are sent beside what a hello needs. */
  padding?: number;
}

/**
 * Says hello as a process of another user and groups, and resolves to the answer, whether it was let go, and the error
 * of the connection if it had one.
 */
export async function greetAs(
  machine: Pick<Machine, 'run'>,
  helperSocket: string,
  ids: Caller,
  node = process.execPath,
): Promise<{ answer: unknown; letGo: boolean; error?: string }> {
  const script = `
    const net = require('node:net');
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'hello', params: ${JSON.stringify(helloParams)}, padding: 'x'.repeat(${ids.padding ?? 0}) });
    const socket = net.connect(process.argv[1]);
    let text = '';
    let error;
    socket.on('data', (data) => {
      text += data;
      // Welcome: nothing more will come. Otherwise the end has to.
      if (text.includes('"result"')) finish(false);
    });
    const finish = (letGo) => {
      const [, answer = 'null'] = text.split('\\r\\n\\r\\n');
      process.stdout.write(JSON.stringify({ answer: JSON.parse(answer), letGo, error }));
      process.exit(0);
    };
    socket.on('close', () => finish(true));
    socket.on('error', ({ code }) => { error = code; });
    socket.write('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body);
  `;
  const identity = [
    `--reuid=${ids.uid}`,
    `--regid=${ids.gid}`,
    ids.groups === undefined ? '--clear-groups' : `--groups=${ids.groups}`,
  ];
  const stdout = await machine.run(['setpriv', ...identity, '--', node, '-e', script, helperSocket]);
  return JSON.parse(stdout) as { answer: unknown; letGo: boolean; error?: string };
}

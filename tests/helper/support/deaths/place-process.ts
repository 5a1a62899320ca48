import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { ports } from '../../../lab/network/addresses.ts';
import { silenceLimit, waitLimit } from '../../../lab/runs/wait-limit.ts';
import { portOf, type AskLine, type SeenLine } from './place-lines.ts';

/**
 * Run inside a machine, `node place-process.ts MARKER MILLISECONDS`: says `waiting`, and with the first line that
 * comes, not before, makes its first socket: sends as probe-stream.ts does. With each line after that it asks a host
 * whom it sees, or sends once more.
 */
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/**
 * A kernel answers within milliseconds, but through a tunnel a dozen processes have to take their turns. Where nobody
 * may answer, tests wait for all of it, so it has a limit.
 */
const patienceMs = (isAnswered: boolean) => (isAnswered ? waitLimit(10_000) : silenceLimit(1500, 6000));

function say(seen: SeenLine): void {
  process.stdout.write(`${JSON.stringify(seen)}\n`);
}

function ask({ id, host, proxy, isAnswered = false }: AskLine & { host: string }): void {
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${ports.http}/`;
  // The URL's own is `hostname`, which comes before `host` (Node.js documentation, http.request).
  const at = proxy === undefined ? {} : { hostname: '127.0.0.1', port: portOf(proxy), path: url };
  const signal = AbortSignal.timeout(patienceMs(isAnswered));
  const onError = () => say({ id, reply: '' });
  const request = get(url, { agent: false, signal, headers: { connection: 'close' }, ...at });
  request.on('error', onError);
  request.on('response', (response) => {
    let reply = '';
    response.on('data', (chunk: Buffer) => (reply += chunk.toString()));
    response.on('error', onError);
    response.on('end', () => say({ id, reply }));
  });
}

process.stdout.write('waiting\n');
await lines.next();
// It takes the same arguments.
const { sendRound } = await import('../../../lab/probes/probe-stream.ts');
for await (const line of lines) {
  const { host, ...asked } = JSON.parse(line) as AskLine;
  if (host === undefined) void sendRound().then(() => say({ id: asked.id, reply: '' }));
  else ask({ ...asked, host });
}

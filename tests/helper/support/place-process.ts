import { get } from 'node:http';
import { createInterface } from 'node:readline';
import { ports } from '../../lab/addresses.ts';
import { portOf, type AskLine, type SeenLine } from './place-lines.ts';

/**
 * Run inside a machine, `node place-process.ts MARKER MILLISECONDS`: says `waiting`, and with the first line that comes, not
 * before, makes its first socket: sends as probe-stream.ts does. With each line after that it asks a host whom it sees.
 */
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** A kernel answers within milliseconds, on a busy machine too; who asks asks again if there should have been an answer. */
const silenceMs = 1500;

function ask({ id, host, proxy }: AskLine): void {
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${ports.http}/`;
  const say = (reply: string) => {
    const seen: SeenLine = { id, reply };
    process.stdout.write(`${JSON.stringify(seen)}\n`);
  };
  const at = proxy === undefined ? {} : { host: '127.0.0.1', port: portOf(proxy), path: url };
  const signal = AbortSignal.timeout(silenceMs);
  const onError = () => say('');
  const request = get(url, { agent: false, signal, headers: { connection: 'close' }, ...at });
  request.on('error', onError);
  request.on('response', (response) => {
    let reply = '';
    response.on('data', (chunk: Buffer) => (reply += chunk.toString()));
    response.on('error', onError);
    response.on('end', () => say(reply));
  });
}

process.stdout.write('waiting\n');
await lines.next();
// It takes the same arguments.
await import('../../lab/probe-stream.ts');
for await (const line of lines) ask(JSON.parse(line) as AskLine);

import { parseArgs } from 'node:util';
import { ListsTooLong } from '#shared/tunnel/pac-file.ts';
import { becomeUser } from './become-user.ts';
import { proxyMessage, type ProxyAnswer, type ProxyMessage } from './proxy-messages.ts';
import { startProxyServer } from './proxy-server.ts';
import { readLines } from './read-lines.ts';

/**
 * The proxy of automatic routing, `node index.ts --uid N --gid N --listener N`, started by the helper as root. It
 * becomes that user before it reads or opens anything, and later loads nothing that this user may not read. It ends
 * with its standard input, unless it is configured to outlive the helper, and fails on an invalid configuration.
 */
const { values } = parseArgs({
  options: {
    uid: { type: 'string' },
    gid: { type: 'string' },
    // The descriptor of the listening socket that it inherits.
    listener: { type: 'string' },
  },
});
becomeUser({ uid: readNumber(values.uid), gid: readNumber(values.gid) });

const server = await startProxyServer(
  readNumber(values.listener),
  (message) => void process.stderr.write(`${message}\n`),
);
let outlive = false;
for await (const line of readLines(process.stdin)) {
  const message = readMessage(line);
  if (message === undefined) {
    process.stderr.write('a line was no configuration\n');
    process.exit(1);
  }
  process.stdout.write(`${JSON.stringify(answerTo(message))}\n`);
}
if (!outlive) process.exit(0);

function answerTo(message: ProxyMessage): ProxyAnswer {
  try {
    const answer = server.configure(message);
    ({ outlive } = message);
    return answer;
  } catch (error) {
    if (error instanceof ListsTooLong) return { refused: error.message };
    throw error;
  }
}

function readMessage(line: string): ProxyMessage | undefined {
  try {
    return proxyMessage.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

function readNumber(text: string | undefined): number {
  if (text === undefined || !/^\d{1,10}$/.test(text))
    throw new Error('--uid, --gid and --listener are needed, as numbers');
  return Number(text);
}

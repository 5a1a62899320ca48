import { ListsTooLong } from '#shared/tunnel/pac-file.ts';
import { proxyMessage, type ProxyAnswer, type ProxyMessage } from './proxy-messages.ts';
import { startProxyServer, type ProxyListening, type ProxyServer } from './proxy-server.ts';
import { readLines } from './read-lines.ts';

/**
 * The proxy of automatic routing, in the process that the helper has started for it. It ends with its standard input,
 * unless it is configured to outlive the helper, and fails on an invalid configuration.
 */
export async function runProxy(listening: ProxyListening): Promise<void> {
  const server = await startProxyServer(listening, (message) => void process.stderr.write(`${message}\n`));
  let outlive = false;
  for await (const line of readLines(process.stdin)) {
    const message = readMessage(line);
    if (message === undefined) {
      process.stderr.write('a line was no configuration\n');
      process.exit(1);
    }
    const answer = answerTo(server, message);
    if (!('refused' in answer)) ({ outlive } = message);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  }
  if (!outlive) process.exit(0);
}

function answerTo(server: ProxyServer, message: ProxyMessage): ProxyAnswer {
  try {
    return server.configure(message);
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

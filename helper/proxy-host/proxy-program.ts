import { isDeepStrictEqual } from 'node:util';
import type { Readable, Writable } from 'node:stream';
import { onBoundedLine } from '../bounded-lines.ts';
import type { Log } from '../log.ts';
import {
  proxyAnswer,
  type ProxyConfiguration,
  type ProxyLists,
  type ProxyMessage,
  type ProxyReady,
} from '../proxy/proxy-messages.ts';
import type { ProgramProcess } from '../system/ports/engine-host-port.ts';
import { SystemChangeFailed } from '../system/ports/system-change-failed.ts';

/**
 * How long the process may take to start and apply a configuration, in milliseconds: one that hangs is not waited for
 * without an end, but while a slow machine boots, the start alone has taken more than ten seconds.
 */
const answerLimit = 30_000;

/** The maximum length of a line that it prints; an answer takes some hundred characters. */
const maxLineBytes = 500;

/**
 * Lists of domains briefly exist as a hundred thousand strings, and V8 keeps the space that it allocated for new
 * objects; this limits it to so many MB. With it, the proxy uses 136 MB after three changes of such a list, without it
 * 182 MB.
 */
export const proxyNodeArguments = ['--max-semi-space-size=2'] as const;

/** A running proxy, permanently as an unprivileged user. */
export interface ProxyProgram {
  kill(): void;
  /** Sends one configuration, and resolves with the report that answers it. One at a time. */
  configure(configuration: ProxyConfiguration): Promise<ProxyReady>;
}

/** It ends with the helper, which it notices on its standard input, unless it is configured to outlive it. */
export function startProxyProgram(options: {
  /** With pipes for its standard input, output and error. */
  start: () => ProgramProcess;
  onEnd: (by: string) => void;
  log: Log;
}): ProxyProgram {
  const { start, onEnd, log } = options;
  /** The pending answer to the configuration that was sent. */
  let awaited: PromiseWithResolvers<string> | undefined;
  /** The lists in force; they are only sent again if they change. */
  let lists: ProxyLists | undefined;
  const started = start();
  started.once('error', (error) => log.error('the proxy cannot be started', error));
  // Where no file descriptor is left, there are none (Node's child_process).
  const streams = started.stdio as unknown as readonly [Writable, Readable, Readable] | undefined;
  if (!streams) throw new SystemChangeFailed('the proxy cannot be started');
  const [stdin, stdout, stderr] = streams;
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
  onBoundedLine(stdout, maxLineBytes, (line) => awaited?.resolve(line));
  onBoundedLine(stderr, maxLineBytes, (line) => log.warn('the proxy', { line }));
  started.once('close', (status, signal) => {
    awaited?.reject(new Error('it has ended'));
    onEnd(signal ?? String(status));
  });

  return {
    kill: () => void started.kill('SIGKILL'),
    async configure({ routeDomains, blockedDomains, directDomains, ...rest }) {
      const wanted = { routeDomains, blockedDomains, directDomains };
      const message: ProxyMessage = isDeepStrictEqual(wanted, lists) ? rest : { ...rest, lists: wanted };
      const answer = Promise.withResolvers<string>();
      awaited = answer;
      const limit = setTimeout(() => started.kill('SIGKILL'), answerLimit);
      stdin.write(`${JSON.stringify(message)}\n`);
      const read = await answer.promise
        .then((line) => proxyAnswer.parse(JSON.parse(line)))
        .catch((error: unknown) => {
          throw new SystemChangeFailed('the proxy did not take its configuration', { cause: error });
        })
        .finally(() => {
          clearTimeout(limit);
          awaited = undefined;
        });
      if ('refused' in read) throw new SystemChangeFailed(read.refused);
      lists = wanted;
      return read;
    },
  };
}

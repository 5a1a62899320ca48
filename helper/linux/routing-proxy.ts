import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import type { RoutingProxy } from '#shared/tunnel/state.ts';
import type { Log } from '../log.ts';
import { proxyReady, type ProxyConfiguration, type ProxyReady } from '../proxy/proxy-messages.ts';
import { SystemChangeFailed } from '../system-adapter.ts';
import type { Account } from './accounts.ts';
import { findProgram, programEnvironment } from './command.ts';
import { createTurns } from '#shared/turns.ts';
import { killProcessesOf } from './user-processes.ts';

/** The proxy of mode pac, in a process of its own. */
export interface RoutingProxyProcess {
  /** Whether it goes on when the helper has died. */
  readonly outlives: boolean;
  /** Where it listens; undefined before it has been configured. */
  readonly listening: (RoutingProxy & { port: number }) | undefined;
  /** Resolves when the configuration is in force; starts the process if there is none. */
  configure(configuration: ProxyConfiguration): Promise<void>;
  stop(): void;
}

/**
 * Where it listens unless somebody else does: always the same port, so that programs find the next proxy where the
 * one before was.
 */
const preferredPort = 10_187;

/** How long the process may take to put a configuration in force, in milliseconds. */
const answerLimit = 10_000;

/** How long until another takes the place of one that ended, in milliseconds. */
const restartAfter = 500;

/**
 * It runs as `account` for good, and ends when the helper does, which its standard input tells it; `outlives`: then
 * it goes on, so that programs still find where they are sent, and fail there instead of going out directly.
 */
export function createRoutingProxy(options: {
  account: Account;
  /** The proxy's program. */
  script: string;
  outlives: boolean;
  log: Log;
}): RoutingProxyProcess {
  const { account, script, outlives, log } = options;
  let child: ChildProcess | undefined;
  let configured: ProxyConfiguration | undefined;
  let listening: RoutingProxyProcess['listening'];
  let stopped = false;
  const inTurn = createTurns();

  function start(): ChildProcess {
    const setpriv = findProgram('setpriv');
    if (setpriv === undefined) throw new SystemChangeFailed('setpriv is not installed');
    const argv = [
      '--no-new-privs',
      // What it takes to become that user, and to read its program before that.
      '--bounding-set=-all,+setuid,+setgid,+dac_read_search',
      '--inh-caps=-all',
      '--',
      process.execPath,
      script,
      `--uid=${account.uid}`,
      `--gid=${account.gid}`,
      `--port=${listening?.port ?? preferredPort}`,
      ...(outlives ? ['--outlive'] : []),
    ];
    const { ELECTRON_RUN_AS_NODE: asNode } = process.env;
    const started = spawn(setpriv, argv, {
      cwd: '/',
      env: { ...programEnvironment, ...(asNode === undefined ? {} : { ELECTRON_RUN_AS_NODE: asNode }) },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of started.stdio) stream?.on('error', () => undefined);
    createInterface({ input: started.stderr }).on('line', (line) =>
      log.warn('the proxy', { line: line.slice(0, 500) }),
    );
    started.once('error', (error) => log.error('the proxy cannot be started', error));
    started.once('close', (status, signal) => {
      if (child !== started) return;
      child = undefined;
      if (stopped) return;
      log.warn('the proxy ended; another is started', { by: signal ?? String(status) });
      setTimeout(() => {
        if (!stopped && !child && configured) void apply(configured).catch(logFailure);
      }, restartAfter);
    });
    return started;
  }

  const logFailure = (error: unknown) => log.error('the proxy could not be started anew', error);

  const apply = (configuration: ProxyConfiguration) =>
    inTurn(async () => {
      if (!child) {
        await killProcessesOf(account.uid);
        child = start();
      }
      const { port, pacPath } = await answerOf(child, `${JSON.stringify(configuration)}\n`);
      listening = {
        port,
        address: `127.0.0.1:${port}`,
        pacUrl: `http://127.0.0.1:${port}${pacPath}`,
      };
    });

  return {
    outlives,
    get listening() {
      return listening;
    },
    async configure(configuration) {
      configured = configuration;
      await apply(configuration);
    },
    stop() {
      stopped = true;
      child?.kill('SIGKILL');
    },
  };
}

/** Sends one configuration, and resolves to the one report that answers it. */
async function answerOf(child: ChildProcess, line: string): Promise<ProxyReady> {
  const { stdin, stdout } = child;
  if (!stdin || !stdout) throw new Error('a process without pipes');
  const lines = createInterface({ input: stdout });
  const limit = setTimeout(() => child.kill('SIGKILL'), answerLimit);
  stdin.write(line);
  try {
    // An interface closes with its input, so with the process.
    const [text] = await once(lines, 'line', { signal: closing(lines) });
    return proxyReady.parse(JSON.parse(String(text)));
  } catch (error) {
    throw new SystemChangeFailed('the proxy did not take its configuration', { cause: error });
  } finally {
    clearTimeout(limit);
    lines.close();
  }
}

function closing(lines: Interface): AbortSignal {
  const closed = new AbortController();
  lines.once('close', () => closed.abort());
  return closed.signal;
}

import { spawn, type ChildProcess } from 'node:child_process';
import { createSerialQueue } from '#shared/serial-queue.ts';
import { onBoundedLine } from '../bounded-lines.ts';
import type { Log } from '../log.ts';
import { proxyAnswer, type ProxyConfiguration } from '../proxy/proxy-messages.ts';
import type { ProxyProcess } from '../system/proxy-process.ts';
import { SystemChangeFailed } from '../system/system-adapter.ts';
import type { Account } from './accounts.ts';
import { findProgram, programEnvironment } from './command.ts';
import { killProcessesOf } from './user-processes.ts';

/**
 * Where it listens unless somebody else does: always the same port, so that programs find the next proxy where the
 * one before was.
 */
const preferredPort = 10_187;

/** How long the process may take to put a configuration in force, in milliseconds. */
const answerLimit = 10_000;

/** Of what it says in one line, in characters; an answer takes some hundred. */
const longestLine = 500;

/** How long until another takes the place of one that ended, in milliseconds. */
const restartAfter = 500;

/**
 * It runs as `account` for good, and ends when the helper does, which its standard input tells it. If it is configured
 * to outlive that it goes on, so that programs still find where they are sent, and fail there instead of going out
 * directly.
 */
export function createProxyProcess(options: {
  account: Account;
  /** The proxy's program. */
  script: string;
  /** Another process has taken the place of one that ended, and listens elsewhere. */
  onMoved: () => void;
  log: Log;
}): ProxyProcess {
  const { account, script, onMoved, log } = options;
  let child: ChildProcess | undefined;
  let configured: ProxyConfiguration | undefined;
  let listening: ProxyProcess['listening'];
  /** What the process is to answer to the configuration that it was sent. */
  let awaited: PromiseWithResolvers<string> | undefined;
  let stopped = false;
  const enqueue = createSerialQueue();

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
    ];
    const { ELECTRON_RUN_AS_NODE: asNode } = process.env;
    const started = spawn(setpriv, argv, {
      cwd: '/',
      env: { ...programEnvironment, ...(asNode === undefined ? {} : { ELECTRON_RUN_AS_NODE: asNode }) },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    for (const stream of started.stdio) stream?.on('error', () => undefined);
    onBoundedLine(started.stdout, longestLine, (line) => awaited?.resolve(line));
    onBoundedLine(started.stderr, longestLine, (line) => log.warn('the proxy', { line }));
    started.once('error', (error) => log.error('the proxy cannot be started', error));
    started.once('close', (status, signal) => {
      if (child !== started) return;
      child = undefined;
      awaited?.reject(new Error('it has ended'));
      if (stopped) return;
      log.warn('the proxy ended; another is started', { by: signal ?? String(status) });
      setTimeout(() => {
        if (!stopped && !child && configured) void startAnew(configured).catch(logFailure);
      }, restartAfter);
    });
    return started;
  }

  const logFailure = (error: unknown) => log.error('the proxy could not be started anew', error);

  const apply = (configuration: ProxyConfiguration) =>
    enqueue(async () => {
      if (!child) {
        await killProcessesOf(account.uid);
        if (stopped) throw new SystemChangeFailed('the proxy was stopped');
        child = start();
      }
      const answer = await answerTo(configuration, child);
      if ('refused' in answer) throw new SystemChangeFailed(answer.refused);
      const { port, pacPath } = answer;
      listening = {
        port,
        address: `127.0.0.1:${port}`,
        pacUrl: `http://127.0.0.1:${port}${pacPath}`,
      };
    });

  async function startAnew(configuration: ProxyConfiguration): Promise<void> {
    const before = listening?.pacUrl;
    await apply(configuration);
    if (listening?.pacUrl !== before) onMoved();
  }

  /** Sends one configuration, and resolves to the one report that answers it. */
  async function answerTo(configuration: ProxyConfiguration, to: ChildProcess) {
    const answer = Promise.withResolvers<string>();
    awaited = answer;
    const limit = setTimeout(() => to.kill('SIGKILL'), answerLimit);
    to.stdin?.write(`${JSON.stringify(configuration)}\n`);
    try {
      return proxyAnswer.parse(JSON.parse(await answer.promise));
    } catch (error) {
      throw new SystemChangeFailed('the proxy did not take its configuration', { cause: error });
    } finally {
      clearTimeout(limit);
      awaited = undefined;
    }
  }

  return {
    get outlives() {
      return configured?.outlive ?? false;
    },
    get listening() {
      return listening;
    },
    async configure(configuration) {
      const before = configured;
      configured = configuration;
      try {
        await apply(configuration);
      } catch (error) {
        // One that takes its place goes on with what was in force.
        configured = before;
        throw error;
      }
    },
    stop() {
      stopped = true;
      child?.kill('SIGKILL');
    },
  };
}

import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { multistream, pino, type Logger } from 'pino';
import { controlProtocolVersion } from '#shared/control/contract.ts';
import { createAutomaticConnection, type AutomaticConnection } from './automatic-connection.ts';
import { openControlConnection } from './control/control-connection.ts';
import { controlPlace, type ControlPlace } from './control/control-place.ts';
import { takeCore } from './control/core-lock.ts';
import { serveControl, type ControlServer } from './control/control-server.ts';
import type { CoreLock } from '#node/os/process-lock.ts';
import { createControlHost } from './control-host.ts';
import type { Core } from './core/core.ts';
import { createDaemonCore } from './daemon-core.ts';
import { logFileOf } from './daemon-place.ts';
import { protectOnUntrusted } from './desktop-networks.ts';
import { createLogFile } from './diagnostics/log-file.ts';

export interface DaemonOptions {
  profile: string;
  version: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  /** Started by the user's service manager: it stays, and takes the core again whenever the app has quit. */
  isService: boolean;
  /** From now on, it answers requests. */
  onReady(): void;
  stop: AbortSignal;
}

/**
 * `taken`: another process has the core. `displaced`: nobody can find this process any more, because its user has
 * logged out.
 */
export type DaemonEnd = 'stopped' | 'yielded' | 'idle' | 'displaced' | 'taken';

/** A daemon that was started by a command ends after this time without anything to do. */
const idleMs = 10 * 60_000;
const idleCheckMs = 10_000;
const placeCheckMs = 10_000;

/** Runs the core while no desktop app does. Resolves when it has given it up for good. */
export async function runDaemon(options: DaemonOptions): Promise<DaemonEnd> {
  const { profile, env, platform, stop } = options;
  mkdirSync(profile, { recursive: true, mode: 0o700 });
  const logFile = createLogFile({ file: logFileOf(profile) });
  const log = pino(
    { name: 'waymaker-daemon' },
    multistream([{ stream: process.stdout }, { stream: logFile }]),
  );
  const place = controlPlace(profile, { env, platform });
  for (;;) {
    const lock = await takeCore(place, platform);
    if (!lock && !options.isService) return 'taken';
    if (lock) {
      const end = await haveCore({ ...options, place, lock, log, appLog: () => logFile.read() });
      log.info({ end }, 'the core is given up');
      if (end !== 'yielded' || !options.isService) return end;
    }
    await othersEnd(place, options);
    if (stop.aborted) return 'stopped';
  }
}

async function haveCore(
  options: DaemonOptions & {
    place: ControlPlace;
    lock: CoreLock;
    log: Logger;
    appLog: () => readonly string[];
  },
): Promise<Exclude<DaemonEnd, 'taken'>> {
  const { place, platform, lock, stop, log } = options;
  const core = createDaemonCore(options);
  const { promise: ended, resolve: end } = Promise.withResolvers<Exclude<DaemonEnd, 'taken'>>();
  let server: ControlServer | undefined;
  const host = createControlHost({
    core,
    hello: {
      protocolVersion: controlProtocolVersion,
      version: options.version,
      kind: 'daemon',
      pid: process.pid,
    },
    yieldCore() {
      // After the answer has been sent.
      setImmediate(() => end('yielded'));
      return true;
    },
    emit: (channel, payload) => server?.emit(channel, payload),
  });
  const listening = await serveControl({ place, platform, host, log });
  server = listening;
  const stopped = () => end('stopped');
  stop.addEventListener('abort', stopped);
  if (stop.aborted) stopped();
  const automatic = options.isService ? connectByItself(core, log) : undefined;
  const idle = options.isService
    ? undefined
    : whenIdle(
        core,
        () => listening.isUsed(),
        () => end('idle'),
      );
  const placed = setInterval(() => {
    if (!lock.isInPlace()) end('displaced');
  }, placeCheckMs);
  log.info({ socket: place.socketPath }, 'has the core');
  options.onReady();

  const why = await ended;
  clearInterval(idle);
  clearInterval(placed);
  stop.removeEventListener('abort', stopped);
  automatic?.stop();
  listening.close();
  core.close();
  lock.release();
  return why;
}

/** Nobody may be there to try again: after a power cut, a router starts after the computers behind it. */
const laterMs = 5 * 60_000;

/** Connecting automatically, as the user has set it, does not need a window. */
function connectByItself(core: Core, log: Logger): AutomaticConnection {
  const automatic = createAutomaticConnection({
    core,
    giveUp: (reason) => log.warn({ reason }, 'could not connect by itself'),
    laterMs,
  });
  protectOnUntrusted({ core, automatic });
  automatic.beginAtStart();
  return automatic;
}

/**
 * It stays while there is a tunnel, or a session that would be lost with the process. One that the helper refuses ends
 * as soon as nobody uses it: a running process does not get a group that its user has joined since, but the next one
 * does.
 */
function whenIdle(core: Core, isUsed: () => boolean, end: () => void): NodeJS.Timeout {
  let idleSince = performance.now();
  return setInterval(() => {
    const tunnel = core.tunnel.state();
    const { signedIn, persistence } = core.session.session();
    const isRefused = tunnel.state === 'invalid' && tunnel.cause === 'permission-denied';
    const hasTunnel = tunnel.state !== 'disconnected' && !isRefused;
    const isNeeded = isUsed() || hasTunnel || (signedIn && persistence === 'memory');
    if (isNeeded) idleSince = performance.now();
    else if (isRefused || performance.now() - idleSince > idleMs) end();
  }, idleCheckMs);
}

const appStartMs = 250;

/** Waits until the process that has the core ends, which closes the connection to it. */
async function othersEnd(place: ControlPlace, { version, stop }: DaemonOptions): Promise<void> {
  const client = { name: 'waymaker-daemon', version };
  const connection = await openControlConnection({ place, client });
  if (typeof connection === 'string') {
    // That process has just started, or is about to end.
    await delay(appStartMs, undefined, { signal: stop }).catch(() => undefined);
    return;
  }
  const close = () => connection.close();
  stop.addEventListener('abort', close);
  if (stop.aborted) close();
  await connection.closed;
  stop.removeEventListener('abort', close);
}

import { spawn, type ChildProcess } from 'node:child_process';
import { isIP, isIPv6 } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UnreachableCause } from '#node/anyconnect/gateway-tls.ts';
import { userAgent } from '#shared/gateway-user-agent.ts';
import { waitToTheEnd } from '#node/wait-to-the-end.ts';
import type { Log } from '../../log.ts';
import { readEngineLines } from '../engine-lines.ts';
import { createEngineSecrets } from './secrets.ts';
import { toleratedRoundTripMs, type Engine, type EngineEnd, type EngineOptions } from '../engine-port.ts';
import { endUnstarted, expectStreams } from '../program-start.ts';
import { readEnvironment } from './configuration.ts';
import { readEncryption } from './encryption.ts';
import { readEngineLine, readGoodbye, type EngineEvent } from './output.ts';
import { createEnvironmentReader, engineScript, maxEnvironment, scriptAnswer } from './script.ts';

const stopLimitMs = 1_000;

/** Processes that the engine left running may keep its pipes open; nobody waits longer than this for them. */
const closeLimitMs = 200;

/** How often the engine may have the system configured: far more often than any gateway assigns new addresses. */
const maxConfigurationsPerMinute = 30;

/**
 * Seconds between the engine’s probes of a silent gateway, at least the lowest value that it accepts
 * (openconnect_set_dpd). It gives up a transport after twice that and at most a second more; if datagrams are lost,
 * nothing arrives for that long. A probe a second while nothing else arrives costs no measurable processor time, and
 * 0.2 kB/s. The answer to a probe has to arrive within the same time.
 */
const deadPeerDetectionSeconds = (roundTripMs: number) =>
  Math.max(2, Math.ceil((1.2 * toleratedRoundTripMs(roundTripMs)) / 1000));

/** The descriptors of its pipes end here; those of the client certificate follow. */
const pipeCount = 5;

const unreachableBy: Partial<Record<EngineEvent, UnreachableCause>> = {
  refused: 'gateway-refuses-connections',
  unavailable: 'gateway-refuses-connections',
  'no-route': 'gateway-without-route',
  'tls-failed': 'gateway-tls-failed',
  'tls-outdated': 'gateway-tls-outdated',
  'unsafe-renegotiation': 'gateway-renegotiation-unsafe',
};

type Pipes = [Writable, Readable, Readable, Readable, Writable];

/** openconnect(8), which carries the device's packets itself and leaves all configuration to the helper. */
export function launchOpenconnect(options: EngineOptions): Engine {
  const { log, session } = options;
  using secrets = createEngineSecrets(session, (content) => options.secretFile(content), pipeCount);
  const { file, args, environment } = options.unprivileged('openconnect', [
    ...engineArguments(options),
    ...secrets.args,
  ]);
  // When it has started, it has its own descriptors of the secrets, and the helper's are closed.
  const child = expectStreams(
    spawn(file, args, {
      cwd: '/',
      env: environment,
      stdio: [...Array.from({ length: pipeCount }, () => 'pipe' as const), ...secrets.descriptors],
    }),
  );
  const [cookieInput, stdout, stderr, environments, answers] = child.stdio as Pipes;
  // Writing to a process that has just ended breaks its pipes; `ended` reports that already.
  for (const pipe of child.stdio) pipe?.on('error', () => undefined);
  let released = false;
  const seen: Seen = {};

  const stopListening = () => {
    for (const pipe of child.stdio) pipe?.destroy();
  };
  const kill = () => {
    child.kill('SIGKILL');
    stopListening();
  };

  readEngineLines([stdout, stderr], {
    log: (line) => log.info('engine', { line: secrets.redact(line) }),
    onUnlogged: (count) => log.warn('the engine says too much', { unlogged: count }),
    onLine(line) {
      const event = readEngineLine(line);
      const told = readEncryption(line);
      if (told) options.onEncryption(told.transport, told.encryption);
      const goodbye = readGoodbye(line);
      if (goodbye !== undefined) options.onGoodbye(secrets.redact(goodbye));
      const isAlert = event === 'alert' || event === 'handshake-alert';
      const cause = event && unreachableBy[event];
      if (cause) options.onUnreachable(cause);
      if (event === 'secured') {
        seen.secured = true;
        options.onReached(options.address);
      }
      if (event === 'route-discarded') seen.routeDiscarded = true;
      if (event === 'unavailable') seen.unavailable = true;
      if (event === 'certificate-refused') seen.certificateRefused = true;
      if (event === 'dtls' || event === 'tls') options.onTransport(event);
      if (event === 'unusable-certificate') seen.clientCertificateRefused = true;
      if (isAlert && !seen.up) {
        // Without a certificate, it may be something else: a sign-in finds out.
        if (event === 'handshake-alert' && !session.clientCertificate)
          options.onUnreachable('gateway-tls-failed');
        seen.clientCertificateRefused = true;
        kill();
      }
      if (event === 'unconfigurable') {
        log.warn('the gateway pushes more than openconnect can pass on');
        seen.end = 'configuration-failed';
        kill();
      }
      if (event === 'lost' || (isAlert && seen.up)) {
        // Its own reconnecting would go on unnoticed for minutes; another engine is launched instead.
        seen.lost = true;
        kill();
      }
    },
  });
  const onConfiguration: EngineOptions['onConfiguration'] = async (given) => {
    seen.up = true;
    // What it printed before it ran its script may be read after that.
    await nextTurn();
    const isPartly = seen.routeDiscarded === true && given.routes !== undefined;
    return await options.onConfiguration(isPartly ? { ...given, routes: 'unreadable' } : given);
  };
  serveScript(environments, answers, { ...options, onConfiguration }, (end) => {
    seen.end = end;
    kill();
  });

  const ended = endOf(child, seen, { log, stopListening });
  return {
    racesAddresses: false,
    ended,
    kill,
    release() {
      released = true;
      options.onBegun();
      // With its name (`webvpn=…`), as the engine expects it since 9.0.
      cookieInput.end(`${session.cookie}\n`);
    },
    async stop() {
      // Configurations that it still requests no longer matter.
      environments.destroy();
      answers.destroy();
      // There is no session to log off yet, and openconnect handles no other signal while it reads its cookie.
      child.kill(released ? 'SIGTERM' : 'SIGKILL');
      const limit = setTimeout(kill, stopLimitMs);
      await ended;
      clearTimeout(limit);
    },
  };
}

/** Answers its script, one environment after the other; `end` ends an engine that breaks these rules. */
function serveScript(
  environments: Readable,
  answers: Writable,
  options: EngineOptions,
  end: (end: 'configuration-failed' | 'failed') => void,
): void {
  const { device, wantsPushedRoutes, log } = options;
  const limit = wantsPushedRoutes ? maxEnvironment.withRoutes : maxEnvironment.withoutRoutes;
  const read = createEnvironmentReader(limit);
  const answered: number[] = [];
  let isAnswering = false;

  const misbehaves = (how: string) => {
    log.warn('the engine misbehaves and is ended', { how });
    end('failed');
  };
  environments.on('data', (bytes: Buffer) => {
    if (isAnswering) return misbehaves('it did not wait for an answer');
    const environment = read(bytes);
    if (environment === undefined) return undefined;
    if (environment === 'too-much') return misbehaves('its environment is too long');
    const minuteAgo = performance.now() - 60_000;
    while ((answered[0] ?? Infinity) < minuteAgo) answered.shift();
    if (answered.length >= maxConfigurationsPerMinute) return misbehaves('it is configured too often');
    answered.push(performance.now());

    const given = readEnvironment(environment, { device: device.name, withRoutes: wantsPushedRoutes });
    if (!given) {
      log.warn('the engine configures another device');
      return end('configuration-failed');
    }
    isAnswering = true;
    const isApplied = options.onConfiguration(given).catch((error: unknown) => {
      log.error('the configuration was not applied', error);
      return false;
    });
    void isApplied.then((applied) => {
      isAnswering = false;
      if (applied) answers.write(scriptAnswer.accepted);
      else end('configuration-failed');
    });
  });
}

function engineArguments(options: EngineOptions): string[] {
  const { gateway, address, session, device, mtu, wantsPushedRoutes, roundTripMs } = options;
  // Without a host name, the gateway was verified by its address.
  const host = isIP(gateway.host) ? address : gateway.host;
  return [
    '--protocol=anyconnect',
    '--cookie-on-stdin',
    '--non-inter',
    '--no-proxy',
    `--interface=${device.name}`,
    `--servercert=${session.certificatePin}`,
    // It splits at the first colon, so an IPv6 address needs no brackets.
    ...(host === address ? [] : [`--resolve=${host}:${address}`]),
    `--script=${engineScript({ withRoutes: wantsPushedRoutes })}`,
    ...(mtu === undefined ? [] : [`--mtu=${mtu}`]),
    '--reconnect-timeout=0',
    `--force-dpd=${deadPeerDetectionSeconds(roundTripMs)}`,
    `--useragent=${userAgent(session.agent ?? 'open')}`,
    `--server=https://${isIPv6(host) ? `[${host}]` : host}:${gateway.port}`,
  ];
}

/** What explains why it ends. */
interface Seen {
  secured?: true;
  /** The gateway takes nobody at the moment. */
  unavailable?: true;
  certificateRefused?: true;
  clientCertificateRefused?: true;
  /** It does not pass on all networks that the gateway has named. */
  routeDiscarded?: true;
  /** The gateway has given it a tunnel. */
  up?: true;
  lost?: true;
  /** Why the helper ended it. */
  end?: 'configuration-failed' | 'failed';
}

function endOf(
  child: ChildProcess,
  seen: Seen,
  { log, stopListening }: { log: Log; stopListening: () => void },
): Promise<EngineEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      log.error('the engine cannot be started', error);
      resolve(endUnstarted(error));
    });
    child.once('exit', (code) => {
      const finish = () => {
        stopWaiting();
        stopListening();
        resolve(endWith(code, seen));
      };
      const stopWaiting = waitToTheEnd(closeLimitMs, finish);
      // By then, its last lines have been read.
      child.once('close', finish);
    });
  });
}

function endWith(code: number | null, seen: Seen): EngineEnd {
  if (seen.end) return seen.end;
  // The exit status of setpriv(1) if it cannot drop privileges or run the program.
  if (code === 126 || code === 127) return 'absent';
  if (seen.certificateRefused) return 'certificate-refused';
  if (seen.clientCertificateRefused) return 'client-certificate-refused';
  if (!seen.secured || seen.unavailable) return 'gateway-unreachable';
  // Checked before the exit status: it may have ended by itself before it was killed, with any status.
  if (seen.lost) return 'connection-lost';
  // openconnect's main() exits with 2 if the gateway refused the cookie (-EPERM), otherwise with 1.
  return code === 2 ? 'session-refused' : 'failed';
}

import { spawn, type ChildProcess } from 'node:child_process';
import { isIP, isIPv6 } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import type { Gateway } from '#shared/tunnel/state.ts';
import type { GatewaySession } from '#shared/helper/protocol.ts';
import { onBoundedLine } from '../bounded-lines.ts';
import type { Log } from '../log.ts';
import type { UnprivilegedCommand } from '../system/system-adapter.ts';
import { readEngineLine } from './openconnect-output.ts';
import { createEnvironmentReader, engineScript, scriptAnswer } from './openconnect-script.ts';

/** Of what the engine says in one line, in characters: enough for every message of its own. */
const longestLine = 500;

/** Why an engine ended. */
export type EngineEnd =
  | 'absent'
  | 'gateway-unreachable'
  | 'certificate-refused'
  | 'session-refused'
  | 'connection-lost'
  | 'failed';

export interface EngineOptions {
  gateway: Gateway;
  /** The gateway's address; the engine looks no name up. */
  address: string;
  session: GatewaySession;
  device: string;
  unprivileged(program: string, args: readonly string[]): UnprivilegedCommand;
  log: Log;
  /** The engine's tunnel is up, or up again with other addresses; true if the configuration was made. */
  onConfiguration(environment: ReadonlyMap<string, string>): Promise<boolean>;
  /** Which of the two carries the tunnel's packets from now on. */
  onTransport(transport: 'dtls' | 'tls'): void;
}

export interface Engine {
  /** Lets it go: it sends no packet before it has read its cookie. */
  release(): void;
  readonly ended: Promise<EngineEnd>;
  /** Logs the session off and ends; a second later it is killed. */
  stop(): Promise<void>;
  /** Ends it at once; the session stays good for another engine. */
  kill(): void;
}

const stopLimitMilliseconds = 1000;

/**
 * Seconds between the engine’s probes of a silent gateway, the fewest it takes (openconnect_set_dpd). It gives a
 * transport up after twice that and at most a second more: when datagrams get lost it is deaf for that long. A probe
 * a second while nothing else comes costs no processor time that can be measured, and 0.2 kB/s.
 */
const deadPeerDetectionSeconds = 2;

/** Starts openconnect, which then waits for `release`. */
export function startEngine(options: EngineOptions): Engine {
  const { file, args, environment } = options.unprivileged('openconnect', engineArguments(options));
  const child = spawn(file, args, {
    cwd: '/',
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
  });
  let released = false;
  const seen = { secured: false, certificateRefused: false, lost: false };
  const ended = new Promise<EngineEnd>((resolve) => {
    child.once('error', (error) => {
      options.log.error('the engine cannot be started', error);
      resolve('absent');
    });
    child.once('close', (code) => resolve(endOf(code, seen)));
  });
  const kill = () => void child.kill('SIGKILL');

  const onLine = (line: string) => {
    options.log.info('engine', { line: line.replaceAll(options.session.cookie, '[cookie]') });
    const event = readEngineLine(line);
    if (event === 'secured') seen.secured = true;
    if (event === 'certificate-refused') seen.certificateRefused = true;
    if (event === 'dtls' || event === 'tls') options.onTransport(event);
    if (event === 'lost') {
      // Its own re-connecting would go on unseen for minutes; another engine is made instead.
      seen.lost = true;
      kill();
    }
  };
  for (const output of [child.stdout, child.stderr]) onBoundedLine(output, longestLine, onLine);
  serveScript(child, options, kill);
  ignorePipeErrors(child);

  return {
    ended,
    kill,
    release() {
      released = true;
      // With its name (`webvpn=…`), as the engine takes it since 9.0.
      child.stdin.end(`${options.session.cookie}\n`);
    },
    stop: async () => {
      // There is no session yet to log off, and openconnect heeds no other signal while it reads its cookie.
      child.kill(released ? 'SIGTERM' : 'SIGKILL');
      const limit = setTimeout(kill, stopLimitMilliseconds);
      await ended;
      clearTimeout(limit);
    },
  };
}

function serveScript(child: ChildProcess, options: EngineOptions, kill: () => void): void {
  const [, , , environments, answers] = child.stdio as [null, null, null, Readable, Writable];
  const read = createEnvironmentReader((environment) => {
    if (environment === undefined) {
      options.log.warn('the engine sent too long an environment');
      kill();
      return;
    }
    void options.onConfiguration(environment).then((accepted) => {
      answers.write(accepted ? scriptAnswer.accepted : scriptAnswer.refused);
    });
  });
  environments.on('data', read);
}

/** A process that ends while it is written to breaks its pipes; `ended` tells that already. */
function ignorePipeErrors(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.on('error', () => undefined);
}

function engineArguments({ gateway, address, session, device }: EngineOptions): string[] {
  // A gateway without a name is what was verified: its address.
  const host = isIP(gateway.host) ? address : gateway.host;
  return [
    '--protocol=anyconnect',
    '--cookie-on-stdin',
    '--non-inter',
    '--no-proxy',
    `--interface=${device}`,
    `--servercert=${session.certificatePin}`,
    // Splits at the first colon, so an IPv6 address needs no brackets.
    ...(host === address ? [] : [`--resolve=${host}:${address}`]),
    `--script=${engineScript}`,
    '--reconnect-timeout=0',
    `--force-dpd=${deadPeerDetectionSeconds}`,
    `--server=https://${isIPv6(host) ? `[${host}]` : host}:${gateway.port}`,
  ];
}

function endOf(
  code: number | null,
  seen: { secured: boolean; certificateRefused: boolean; lost: boolean },
): EngineEnd {
  // What setpriv(1) exits with if it cannot drop privileges, or run the program.
  if (code === 126 || code === 127) return 'absent';
  if (seen.certificateRefused) return 'certificate-refused';
  if (!seen.secured) return 'gateway-unreachable';
  // openconnect's main() exits with 2 when the gateway refused the cookie (-EPERM), with 1 otherwise.
  if (code === 2) return 'session-refused';
  return seen.lost ? 'connection-lost' : 'failed';
}

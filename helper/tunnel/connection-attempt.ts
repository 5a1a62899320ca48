import type { ReachabilityTarget } from '#shared/helper/protocol.ts';
import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import type { DisconnectReason, Encryption, TunnelState } from '#shared/tunnel/state.ts';
import {
  toleratedRoundTripMs,
  type Engine,
  type EngineEnd,
  type EngineTransport,
  type GivenConfiguration,
  type LaunchEngine,
} from '../engine/engine-port.ts';
import type { EngineChoice } from '../engine/engine-choice.ts';
import { withCheckedConfiguration } from '../engine/checked-configuration.ts';
import { checkGoodbye } from '../engine/checked-terms.ts';
import type { Log } from '../log.ts';
import { SystemChangeFailed } from '../system/ports/system-change-failed.ts';
import type { Connection, SystemAdapter } from '../system/system-adapter.ts';
import type { AddressTurns } from './address-turns.ts';
import { handshakeLimitMs, limitAttempt, reachLimitMs, startLimitMs } from './attempt-limit.ts';
import { createGatewayTerms } from './gateway-terms.ts';
import type { TakenConnection } from './held-for-client.ts';
import type { SilencePolicy } from './health/silence.ts';
import { createTunnelHealth } from './health/tunnel-health.ts';
import type { TunnelConfiguration } from '../network/tunnel-configuration.ts';

/**
 * `silent`: packets do not pass, although the engine considers its tunnel to be up. `outpaced`: the gateway takes
 * longer to answer than this engine would have waited for.
 */
export type AttemptEnd = EngineEnd | 'silent' | 'outpaced';

/** How an attempt ended, whether or not it was connected. */
interface AttemptOutcome {
  end: AttemptEnd;
  /** What carried packets last. */
  transport: EngineTransport;
  /** How long it was connected, in milliseconds; undefined if it never was. */
  connectedMs: number | undefined;
  /** How long the gateway takes to answer, as far as that is known. */
  roundTripMs: number;
  /** Whether the state has already said that nothing passes. */
  knownSilent: boolean;
  /** Whether its program has started, and sent something to the gateway. */
  hasBegun: boolean;
  /** Whether it has tried all addresses. */
  hasRaced: boolean;
  /** Whether another engine can be tried, because this one cannot be used with the gateway. */
  hasOther: boolean;
  /** More about why it ended: why the system refused the configuration, or no connection is made, if that is known. */
  refusal: DisconnectReason | undefined;
  /** What the gateway said as it ended it. */
  goodbye: string | undefined;
}

/** What earlier attempts have found out about the way to the gateway. */
export interface TunnelPath {
  /** The largest packet that passes, in bytes, if that is less than what the gateway assigned. */
  mtu?: number;
  /** A tunnel by TLS has fallen silent, as it does where one large packet is lost again and again. */
  mayLoseLarge?: boolean;
}

/** One attempt of an engine to connect. */
interface Attempt {
  readonly engine: Engine;
  /** Starts the engine's traffic, and waits for its end, which comes soon if the gateway should be elsewhere. */
  serve(onConnected: () => void): Promise<AttemptOutcome>;
}

/** Starts an engine that waits. */
export function prepareAttempt(options: {
  connection: Connection;
  session: GatewaySession;
  addresses: Pick<AddressTurns, 'all' | 'rounds'>;
  /** The gateway has answered there. */
  onReachedAt(address: string): Promise<void>;
  /** How long the gateway takes to answer, as far as that is known. */
  roundTripMs: number;
  /** Internet hosts that the tunnel should be able to reach. */
  reachabilityTargets: readonly ReachabilityTarget[];
  adapter: SystemAdapter;
  engines: EngineChoice;
  /** What was made ready for this connection; of use to its first attempt only. */
  held?: TakenConnection | undefined;
  silence: SilencePolicy;
  path: TunnelPath;
  log: Log;
  signal: AbortSignal;
  setPhase: (phase: 'configuring') => void;
  /** The system's problems have changed, and there is no tunnel. */
  onProblems: () => void;
  setState: (state: TunnelState) => void;
}): Attempt {
  const { connection, session, adapter, silence, path, log, signal, setPhase, setState } = options;
  let transport: EngineTransport = 'tls';
  const encryptions: Partial<Record<EngineTransport, Encryption>> = {};
  let up: Pick<Extract<TunnelState, { state: 'connected' }>, 'since' | 'addresses'> | undefined;
  let silent = false;
  let outpaced = false;
  let { roundTripMs } = options;
  const measure = async () => {
    roundTripMs = (await adapter.roundTripMs()) ?? roundTripMs;
  };
  /** Whether the system was found to be as it was set up. */
  let isVerified = false;
  /** By a monotonic clock. */
  let upSince: number | undefined;
  let refusal: DisconnectReason | undefined;
  let unreachable: DisconnectReason | undefined;
  let goodbye: string | undefined;
  let connected: () => void = () => undefined;
  let begun: () => void = () => undefined;
  let reached: (address: string) => unknown = () => undefined;
  let configuring: Promise<unknown> = Promise.resolve();

  const configure = async (configuration: TunnelConfiguration): Promise<boolean> => {
    if (signal.aborted) return false;
    if (!up) setPhase('configuring');
    let made: Awaited<ReturnType<SystemAdapter['configure']>>;
    try {
      made = await adapter.configure(configuration);
    } catch (error) {
      log.error('the tunnel cannot be configured', error);
      if (error instanceof SystemChangeFailed) refusal = error.reason;
      return false;
    }
    roundTripMs = made.roundTripMs ?? roundTripMs;
    if (signal.aborted || endIfOutpaced()) return false;
    isVerified = false;
    void verify();
    const { addresses, dns } = made;
    up = { since: up?.since ?? Date.now(), addresses };
    upSince ??= performance.now();
    terms.up();
    // A gateway that has named its networks promises neither DNS nor the internet.
    const isSplit = adapter.activeRouting().mode === 'split';
    const targets = isSplit ? [] : options.reachabilityTargets;
    health.watch({
      addresses,
      resolvers: dns.servers,
      targets,
      needsResolver: !isSplit,
      mtu: configuration.mtu,
      get roundTripMs() {
        return roundTripMs;
      },
    });
    connected();
    return true;
  };

  /** Ends an engine that has no tunnel yet, and would consider a gateway as dead that only takes long to answer. */
  const endIfOutpaced = (): boolean => {
    if (up || outpaced || roundTripMs <= toleratedRoundTripMs(options.roundTripMs)) return outpaced;
    log.info('the gateway takes long to answer, so the engine is started again', { roundTripMs });
    outpaced = true;
    engine.kill();
    return true;
  };

  /** In parallel with the first packets, so that it does not delay a connection. */
  const verify = async () => {
    isVerified = await adapter.verify().catch((error: unknown) => {
      log.error('the system could not be looked at', error);
      return false;
    });
    if (isVerified) showConnected();
    else engine.kill();
  };

  const showConnected = () => {
    if (!up || !health.problems || !isVerified || signal.aborted) return;
    const { gateway } = connection;
    const routing = adapter.activeRouting();
    const all = [...health.problems, ...adapter.problems()];
    const found = all.length > 0 ? { problems: all } : {};
    const encryption = encryptions[transport];
    setState({
      state: 'connected',
      gateway,
      ...up,
      transport,
      ...(encryption && { encryption }),
      routing,
      ...(Object.keys(terms.current).length > 0 && { terms: terms.current }),
      ...found,
    });
  };

  const terms = createGatewayTerms({ adapter, onChange: showConnected, signal, log });
  const recreate = () => {
    silent = true;
    engine.kill();
  };
  const health = createTunnelHealth({
    adapter,
    silence,
    onChange: showConnected,
    onLate: () => void measure(),
    // Not every change of the settings is told: systemd-resolved tells nobody that a device uses TLS or signatures now.
    onNamesFail: () =>
      void adapter
        .lookAgain()
        .catch((error: unknown) => log.error('the DNS settings could not be looked at again', error)),
    onSilent: recreate,
    onShrunk(mtu) {
      path.mtu = mtu;
      // Another engine agrees on it with the gateway, as far as that shrinks what it sends.
      recreate();
    },
    signal,
    log,
  });

  const applyChecked = withCheckedConfiguration(log, configure);
  const chosen = options.engines.choose(connection.gateway, connection.proxy !== undefined);
  const { held } = options;
  const launchHeld = chosen.launchHolding && held?.launchFor(session, options.addresses.all());
  held?.drop();
  const launch: LaunchEngine = (given) => {
    try {
      return (launchHeld ?? chosen.launch)(given);
    } catch (error) {
      // Maybe only for now, as without file descriptors: a connection that was up goes on trying.
      log.error('the engine cannot be started', error);
      if (error instanceof SystemChangeFailed) refusal = error.reason;
      return failedEngine;
    }
  };
  const engine = launch({
    gateway: connection.gateway,
    address: connection.address,
    otherAddresses: options.addresses.all().filter((address) => address !== connection.address),
    proxy: connection.proxy,
    session,
    device: adapter.device,
    mtu: path.mtu,
    linkMtu: () => adapter.linkMtu(),
    wantsPushedRoutes: connection.split === true,
    roundTripMs,
    unprivileged: (program, args) => adapter.unprivileged(program, args),
    ownProgram: () => adapter.ownEngine(),
    secretFile: (content) => adapter.secretFile(content),
    log,
    onBegun: () => begun(),
    onReached: (address) => void reached(address),
    onConfiguration(given) {
      const result = applyChecked(withMtuOf(path, given));
      configuring = result;
      return result;
    },
    onTerms: (given) => terms.take(given),
    onGoodbye(text) {
      goodbye = checkGoodbye(text);
    },
    onTransport(now) {
      if (transport === now) return;
      transport = now;
      showConnected();
    },
    onUnreachable(cause) {
      unreachable = cause;
    },
    onEncryption(of, encryption) {
      encryptions[of] = encryption;
      // `onTransport` reports which transport carries packets again.
      if (transport === of) showConnected();
    },
  });

  return {
    engine,
    async serve(onConnected) {
      const over = new AbortController();
      const ended = new AbortController();
      const hasBegun = new AbortController();
      const isReached = new AbortController();
      const limit = (milliseconds: number, signals: AbortSignal[]) =>
        limitAttempt({
          milliseconds,
          async roundTripMs() {
            await measure();
            return roundTripMs;
          },
          until: AbortSignal.any([over.signal, ...signals]),
          onOver: () => engine.kill(),
        });
      const { addresses } = options;
      limit(startLimitMs, [hasBegun.signal]);
      begun = () => {
        hasBegun.abort();
        limit(handshakeLimitMs, []);
        // One that tries all of them at once is as late at the next one.
        if (addresses.all().length > 1 && !engine.racesAddresses)
          limit(reachLimitMs(addresses.rounds), [isReached.signal]);
      };
      reached = async (address) => {
        isReached.abort();
        // Before its configuration is applied, which is asked for later.
        await options.onReachedAt(address).catch((error: unknown) => {
          log.error('the engine’s address is not open to it', error);
          engine.kill();
        });
        // As early as it is known: while it tries datagrams, such an engine gives up before it has itself configured.
        void measure().then(endIfOutpaced);
        // openconnect has itself configured only once it has tried datagrams; our own engine does not wait for them.
        adapter.followDatagrams(AbortSignal.any([signal, ended.signal]));
      };
      connected = () => {
        over.abort();
        onConnected();
      };
      adapter.watchProblems(() => (up ? showConnected() : options.onProblems()));
      engine.release();
      const end = await engine.ended;
      adapter.watchProblems(() => undefined);
      health.stop();
      terms.stop();
      over.abort();
      ended.abort();
      await configuring;
      health.stop();
      terms.stop();
      // What fitted before does so again.
      const cause = end === 'unsuited' && upSince !== undefined ? 'failed' : end;
      return {
        end: silent ? 'silent' : outpaced ? 'outpaced' : cause,
        transport,
        roundTripMs,
        connectedMs: upSince === undefined ? undefined : performance.now() - upSince,
        hasBegun: hasBegun.signal.aborted,
        hasRaced: engine.racesAddresses,
        hasOther:
          isUnfit(cause) && !connection.proxy && options.engines.exclude(chosen.kind, connection.gateway),
        knownSilent: health.problems?.includes('nothing-passes') ?? false,
        refusal:
          end === 'gateway-unreachable' || end === 'client-certificate-refused' ? unreachable : refusal,
        goodbye,
      };
    },
  };
}

/** Stands for one that could not be started. */
const failedEngine: Engine = {
  racesAddresses: false,
  ended: Promise.resolve('failed'),
  release: () => undefined,
  stop: () => Promise.resolve(),
  kill: () => undefined,
};

/** Whether an engine has ended because it is the wrong one. */
const isUnfit = (end: EngineEnd) => end === 'absent' || end === 'not-started' || end === 'unsuited';

/** Not every gateway does as it is asked. */
function withMtuOf({ mtu }: TunnelPath, given: GivenConfiguration): GivenConfiguration {
  if (mtu === undefined || Number(given.mtu || Infinity) <= mtu) return given;
  return { ...given, mtu: String(mtu) };
}

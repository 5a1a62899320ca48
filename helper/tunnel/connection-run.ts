import type { GatewaySession, ReachabilityTarget } from '#shared/helper/protocol.ts';
import type { ConnectionProblem, DisconnectReason, TunnelState } from '#shared/tunnel/state.ts';
import type { Engine, EngineEnd, EngineTransport, LaunchEngine } from '../engine/engine-port.ts';
import type { Log } from '../log.ts';
import { SystemChangeFailed, type Connection, type SystemAdapter } from '../system/system-adapter.ts';
import { abortable } from './abortable.ts';
import type { AttachedClients, Client } from './attached-clients.ts';
import { backOffMilliseconds } from './back-off.ts';
import type { Patience, SessionSlot } from './session-wait.ts';
import { createSilencePolicy, type SilencePolicy } from './silence.ts';
import { lacksResolver, problemsOf, watchTraffic } from './traffic-watch.ts';
import type { ProbePlan } from './traffic-probe.ts';
import type { TunnelConfiguration } from './tunnel-configuration.ts';
import { createWake } from './wake.ts';

/**
 * Stands for an address that is not known yet: what is open for the gateway is open to this machine only, and that
 * is so anyway.
 */
export const unresolvedAddress = '127.0.0.1';

export const isResolved = ({ address }: Connection) => address !== unresolvedAddress;

export interface ConnectionRunOptions {
  connection: Connection;
  /** The client that asked for it; none for a connection taken over from an earlier helper. */
  requester: Client | undefined;
  /** Whether that client may sign in for this connection. */
  maySignIn: (client: Client) => boolean;
  session: GatewaySession | undefined;
  /** What the tunnel should reach on the internet. */
  reachabilityTargets: readonly ReachabilityTarget[];
  sessions: SessionSlot;
  clients: AttachedClients;
  adapter: SystemAdapter;
  launchEngine: LaunchEngine;
  log: Log;
  signal: AbortSignal;
  setState: (state: TunnelState) => void;
  /** Traffic is blocked from now on. */
  onHeld: () => void;
  /** The connection is over, and its last engine gone when this resolves. */
  onEngineLeft: (gone: Promise<void>) => void;
}

/** How long an engine may take from its first packet to a configured tunnel. */
const handshakeLimitMilliseconds = 20_000;

/** How many attempts in a row may end because the system refused the tunnel's configuration. */
const configurationTries = 3;

/** A connection that held this long counts its re-connects from the beginning again. */
const steadyMilliseconds = 60_000;

/** `silent`: packets do not pass, although the engine believes in its tunnel. */
type AttemptEnd = EngineEnd | 'silent';

/** How an attempt that lasted, or did not, came to its end. */
interface Attempt {
  end: AttemptEnd;
  /** Milliseconds it was connected, or undefined if it never was. */
  heldFor: number | undefined;
  /** Whether the state has said before that nothing passes. */
  knownSilent: boolean;
  /** Why the system refused the configuration, if it did and can tell. */
  refusal: DisconnectReason | undefined;
}

/**
 * One connection from the first blocked packet until it is given up, re-connects included. Resolves to why
 * it was given up; rejects when `signal` is aborted. It leaves the system held.
 */
export async function runConnection(options: ConnectionRunOptions): Promise<DisconnectReason> {
  const { connection, adapter, signal, setState } = options;
  const run = {
    attempt: 1,
    failedConfigurations: 0,
    refusedCertificates: 0,
    everConnected: false,
    session: options.session,
  };
  const silence = createSilencePolicy();
  /** A silent tunnel is recreated again and again behind the state that says so. */
  let keepsState = false;
  const wake = createWake();
  let engineInUse: Engine | undefined;
  let stopWatch: (() => void) | undefined;
  const setPhase = (phase: 'resolving' | 'authenticating' | 'handshaking' | 'configuring' | 'waiting') => {
    if (keepsState) return;
    setState({ state: 'connecting', gateway: connection.gateway, attempt: run.attempt, phase });
  };

  const onUplinkChange = (reachable: boolean) => {
    // A first attempt fails by itself, and says why better than its killed engine could.
    if (!run.everConnected) return;
    options.log.info('the way to the gateway has changed', { reachable });
    engineInUse?.kill();
    if (reachable) wake.call();
  };

  const waitForSession = () => {
    setPhase(isResolved(connection) ? 'authenticating' : 'resolving');
    const patience = () => patienceFor(options, run.everConnected);
    return options.sessions.wait({ clients: options.clients, patience, signal });
  };
  // A client may provide the session as soon as it sees the phase.
  let sessionWait = run.session ? undefined : waitForSession();
  sessionWait?.catch(() => undefined);
  if (run.session) setPhase('handshaking');
  // The engine starts while the system is prepared: it is silent until it gets its cookie.
  let ready = run.session && prepareAttempt(options, run.session, setPhase, silence);
  try {
    engineInUse = ready?.engine;
    await adapter.hold(connection);
    // Well before it is connected: what the way to the gateway was like then is what later changes are told by.
    stopWatch = adapter.watchUplink(onUplinkChange);
    adapter.watchDevice(() => {
      options.log.info('another device took the place of one that was removed');
      engineInUse?.kill();
    });
    options.onHeld();
    for (;;) {
      signal.throwIfAborted();
      if (!run.session) {
        const outcome = await (sessionWait ?? waitForSession());
        sessionWait = undefined;
        if ('givenUp' in outcome) return outcome.givenUp;
        run.session = outcome.session;
      }
      ready ??= prepareAttempt(options, run.session, setPhase, silence);
      engineInUse = ready.engine;
      setPhase('handshaking');
      const { end, heldFor, knownSilent, refusal } = await abortable(
        ready.serve(() => {
          run.everConnected = true;
          run.refusedCertificates = 0;
        }),
        signal,
      );
      ready = undefined;
      keepsState = end === 'silent' && knownSilent;
      options.log.info('the engine ended', { end, attempt: run.attempt });
      run.failedConfigurations = end === 'configuration-failed' ? run.failedConfigurations + 1 : 0;
      if (end === 'certificate-refused') run.refusedCertificates += 1;
      const isHopeless = run.failedConfigurations >= configurationTries;
      const next = decide(
        end,
        connection.killSwitch || (run.everConnected && !isHopeless),
        run.refusedCertificates,
      );
      if ('giveUp' in next) return refusal ?? next.giveUp;
      if (next.session === 'refused') run.session = undefined;
      if (heldFor !== undefined && heldFor >= steadyMilliseconds) run.attempt = 1;
      run.attempt += 1;
      if (run.session) {
        setPhase('waiting');
        await wake.within(backOffMilliseconds(end === 'silent' ? 1 : run.attempt - 1), signal);
      }
    }
  } finally {
    stopWatch?.();
    if (engineInUse) options.onEngineLeft(engineInUse.stop());
  }
}

function patienceFor(options: ConnectionRunOptions, everConnected: boolean): Patience {
  const { connection, requester, maySignIn } = options;
  if (connection.killSwitch) return { kind: 'endless' };
  if (everConnected || requester === undefined) return { kind: 'any-client', maySignIn };
  return { kind: 'client', client: requester };
}

/** `persist`: the connection was up before and can come back, or may only end by an explicit disconnect. */
function decide(
  end: AttemptEnd,
  persist: boolean,
  refusedCertificates: number,
): { giveUp: DisconnectReason } | { session: 'kept' | 'refused' } {
  switch (end) {
    case 'absent':
      return { giveUp: 'engine-failed' };
    case 'session-refused':
      return { session: 'refused' };
    case 'silent':
      return { session: 'kept' };
    case 'certificate-refused':
      // Gateways get new keys: a client has to verify this one before anything is sent to it. It did so, if that
      // happens again.
      return refusedCertificates > 1 ? { giveUp: 'gateway-certificate-refused' } : { session: 'refused' };
    case 'gateway-unreachable':
    case 'configuration-failed':
      return persist ? { session: 'kept' } : { giveUp: end };
    case 'connection-lost':
    case 'failed':
      return persist ? { session: 'kept' } : { giveUp: 'engine-failed' };
    default:
      return end satisfies never;
  }
}

/** Starts an engine that waits; `serve` lets it go and follows it to its end. */
function prepareAttempt(
  options: ConnectionRunOptions,
  session: GatewaySession,
  setPhase: (phase: 'configuring') => void,
  silence: SilencePolicy,
): { engine: Engine; serve(onConnected: () => void): Promise<Attempt> } {
  const { connection, adapter, log, signal, setState } = options;
  let transport: EngineTransport = 'tls';
  let up: Pick<Extract<TunnelState, { state: 'connected' }>, 'since' | 'addresses'> | undefined;
  /** Undefined until packets are known to pass, or not to. */
  let problems: ConnectionProblem[] | undefined;
  let lastFound: string | undefined;
  let watch = new AbortController();
  let silent = false;
  /** Whether the system was found to be as it was set up. */
  let isVerified = false;
  let refusal: DisconnectReason | undefined;
  let connected: () => void = () => undefined;
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
    if (signal.aborted) return false;
    isVerified = false;
    void verify();
    const { addresses, dns } = made;
    up = { since: up?.since ?? Date.now(), addresses };
    // A gateway that has named its networks promises neither names nor the internet.
    const isSplit = adapter.activeRouting().mode === 'split';
    const targets = isSplit ? [] : options.reachabilityTargets;
    startWatch({ addresses, resolvers: dns.servers, targets, needsResolver: !isSplit });
    connected();
    return true;
  };

  /** While the first packets pass: it costs a connection no time. */
  const verify = async () => {
    isVerified = await adapter.verify().catch((error: unknown) => {
      log.error('the system could not be looked at', error);
      return false;
    });
    if (isVerified) showConnected();
    else engine.kill();
  };

  const showConnected = () => {
    if (!up || !problems || !isVerified || signal.aborted) return;
    const { gateway } = connection;
    const routing = adapter.activeRouting();
    const told = problems.length > 0 ? { problems } : {};
    setState({ state: 'connected', gateway, ...up, transport, routing, ...told });
  };

  const startWatch = (plan: ProbePlan) => {
    watch.abort();
    watch = new AbortController();
    const stop = AbortSignal.any([signal, watch.signal]);
    watchTraffic({
      plan,
      received: () => adapter.receivedPackets(),
      sent: () => adapter.statistics()?.sent ?? 0,
      signal: stop,
      onAllPass() {
        // What the probes that are still out would add comes with the findings.
        problems = lacksResolver(plan) ? ['no-dns'] : [];
        showConnected();
      },
      onFindings(findings) {
        const found = problemsOf(findings, plan);
        if (found.join() !== lastFound) {
          lastFound = found.join();
          log.info('the tunnel was probed', { problems: lastFound || 'none' });
        }
        const verdict = silence.review(findings);
        if (verdict === 'look-again') return;
        silent = verdict === 'recreate';
        if (silent) return engine.kill();
        problems = found;
        showConnected();
      },
    }).catch((error: unknown) => {
      if (!stop.aborted) log.error('the tunnel is not watched any more', error);
    });
  };

  const engine = options.launchEngine({
    gateway: connection.gateway,
    address: connection.address,
    session,
    device: adapter.device,
    wantsPushedRoutes: connection.split === true,
    unprivileged: (program, args) => adapter.unprivileged(program, args),
    log,
    onConfiguration(configuration) {
      const result = configure(configuration);
      configuring = result;
      return result;
    },
    onTransport(now) {
      if (transport === now) return;
      transport = now;
      showConnected();
    },
  });

  return {
    engine,
    async serve(onConnected) {
      const limit = setTimeout(() => engine.kill(), handshakeLimitMilliseconds);
      connected = () => {
        clearTimeout(limit);
        onConnected();
      };
      engine.release();
      const end = await engine.ended;
      watch.abort();
      clearTimeout(limit);
      await configuring;
      watch.abort();
      return {
        end: silent ? 'silent' : end,
        heldFor: up && Date.now() - up.since,
        knownSilent: problems?.includes('nothing-passes') ?? false,
        refusal,
      };
    },
  };
}

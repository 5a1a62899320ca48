import type { ReachabilityTarget } from '#shared/helper/protocol.ts';
import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import type { DisconnectReason, TunnelState } from '#shared/tunnel/state.ts';
import type { EngineChoice } from '../engine/engine-choice.ts';
import type { Engine } from '../engine/engine-port.ts';
import type { Log } from '../log.ts';
import type { Connection, SystemAdapter } from '../system/system-adapter.ts';
import { abortable } from './abortable.ts';
import type { AddressTurns } from './address-turns.ts';
import type { AttachedClients, Client } from './attached-clients.ts';
import { backOffMs } from './reconnect-delay.ts';
import { prepareAttempt, type AttemptEnd, type TunnelPath } from './connection-attempt.ts';
import type { TakenConnection } from './held-for-client.ts';
import { decide } from './reconnect-policy.ts';
import type { Renewal } from './engine-renewal.ts';
import type { SessionSlot, WaitPolicy } from './session-wait.ts';
import { createSilencePolicy } from './health/silence.ts';
import type { Wake } from '../wake.ts';

/**
 * Stands for an address that is not known yet. The filter's exception for the gateway then only concerns this machine,
 * which is allowed anyway.
 */
export const unresolvedAddress = '127.0.0.1';

export const isResolved = ({ address }: Connection) => address !== unresolvedAddress;

export interface ConnectionRunOptions {
  /** Its address is always the one in use. */
  connection: Connection;
  addresses: AddressTurns;
  /** The client that asked for it; none for a connection taken over from an earlier helper. */
  requester: Client | undefined;
  /** Whether that client may sign in for this connection. */
  maySignIn: (client: Client) => boolean;
  session: GatewaySession | undefined;
  /** What the tunnel should reach on the internet. */
  reachabilityTargets: readonly ReachabilityTarget[];
  sessions: SessionSlot;
  /** Ends the wait for the next attempt. */
  wake: Wake;
  /** Has the engine replaced by the next attempt, without a wait. */
  renewal: Renewal;
  clients: AttachedClients;
  adapter: SystemAdapter;
  engines: EngineChoice;
  /** What was made ready for it before it was asked for. */
  held?: TakenConnection | undefined;
  /** What was made ready for it while a session was waited for. */
  takeHeld: () => TakenConnection | undefined;
  log: Log;
  signal: AbortSignal;
  setState: (state: TunnelState) => void;
  /** What the gateway said as it ended the last tunnel, or refused one since. */
  said: { goodbye?: string | undefined };
  /** Traffic is blocked from now on. */
  onBlocked: () => void;
  /** The connection is over; its last engine has ended when this resolves. */
  onEngineLeft: (gone: Promise<void>) => void;
}

/** The maximum number of consecutive attempts that end because the system refused the configuration. */
const configurationTries = 3;

/** After a connection lasted this long, its reconnects are counted from the beginning. */
const steadyMs = 60_000;

/**
 * One connection, from the first blocked packet until it is given up, including reconnects. Resolves with why it was
 * given up; rejects when `signal` is aborted. The network stays applied.
 */
export async function runConnection(options: ConnectionRunOptions): Promise<DisconnectReason> {
  const { connection, addresses, adapter, wake, said, signal, setState } = options;
  const run = {
    attempt: 1,
    failedConfigurations: 0,
    refused: { gatewayCertificates: 0, clientCertificates: 0 },
    everConnected: false,
    /** There is no way to the gateway's address any more. */
    isCutOff: false,
    /** Why it could not be reached, as far as that is known, for each address since it last answered. */
    unreachable: new Map<string, DisconnectReason | undefined>(),
    /** How long the gateway takes to answer, as far as that is known. */
    roundTripMs: 0,
    session: options.session,
  };
  const silence = createSilencePolicy();
  const path: TunnelPath = {};
  /** Another way, on which other sizes pass. */
  const forgetPath = () => {
    delete path.mtu;
    delete path.mayLoseLarge;
  };
  /** A silent tunnel is recreated again and again, while the state already says that nothing passes. */
  let keepsState = false;
  let engineInUse: Engine | undefined;
  let { held } = options;
  let stopWatch: (() => void) | undefined;
  let phase: Extract<TunnelState, { state: 'connecting' }>['phase'];
  const showConnecting = () => {
    if (keepsState) return;
    const { goodbye } = said;
    const problems = adapter.problems().filter((problem) => problem === 'routes-overruled');
    setState({
      state: 'connecting',
      gateway: connection.gateway,
      attempt: run.attempt,
      phase,
      ...(goodbye !== undefined && { goodbye }),
      ...(problems.length > 0 && { problems }),
    });
  };
  const setPhase = (next: typeof phase) => {
    phase = next;
    showConnecting();
  };

  adapter.watchProblems(showConnecting);

  const onUplinkChange = (isReachable: ReadonlyMap<string, boolean>) => {
    const reachable = isReachable.get(addresses.current);
    if (reachable !== undefined) forgetPath();
    // A first attempt fails by itself, and explains the failure better than a killed engine could.
    if (!run.everConnected) return;
    if (reachable !== undefined) {
      options.log.info('the engine is replaced', { reachable });
      run.isCutOff = !reachable;
      engineInUse?.kill();
    }
    if ([...isReachable.values()].includes(true)) wake.call();
  };

  options.renewal.listen(() => {
    forgetPath();
    if (run.everConnected) engineInUse?.kill();
    wake.call();
  });

  const othersThan = (address: string) => addresses.all().filter((other) => other !== address);

  /** The engine has found it at one of its addresses. */
  const foundAt = async (address: string) => {
    addresses.answeredAt(address);
    if (connection.address === address || signal.aborted) return;
    options.log.info('the gateway has answered at another address', { address });
    connection.address = address;
    await adapter.moveTo(address, othersThan(address));
  };

  /** Goes on to another address of the gateway, if there is one. */
  const moveTo = async (address: string | undefined) => {
    if (address === undefined) return;
    options.log.info('the gateway is tried at another address', { address });
    forgetPath();
    connection.address = address;
    await adapter.moveTo(address, othersThan(address));
  };

  const waitForSession = () => {
    setPhase(isResolved(connection) ? 'authenticating' : 'resolving');
    const policy = () => waitPolicyFor(options, run.everConnected);
    return options.sessions.wait({ clients: options.clients, policy, signal });
  };
  // A client may provide the session as soon as it sees the phase.
  let sessionWait = run.session ? undefined : waitForSession();
  sessionWait?.catch(() => undefined);
  if (run.session) setPhase('handshaking');
  // The engine starts while the system is prepared: it sends nothing until it gets its cookie.
  const prepare = (session: GatewaySession) =>
    prepareAttempt({
      ...options,
      held,
      session,
      roundTripMs: run.roundTripMs,
      setPhase,
      onProblems: showConnecting,
      silence,
      path,
      onReachedAt: foundAt,
    });
  let ready = run.session && prepare(run.session);
  try {
    engineInUse = ready?.engine;
    await adapter.apply({ ...connection, otherAddresses: othersThan(connection.address) });
    // Well before it is connected: later changes are compared with the route to the gateway at this moment.
    stopWatch = adapter.watchUplink(() => addresses.all(), onUplinkChange);
    adapter.watchDevice(() => {
      options.log.info('another device took the place of one that was removed');
      engineInUse?.kill();
    });
    options.onBlocked();
    for (;;) {
      signal.throwIfAborted();
      if (!run.session) {
        const outcome = await (sessionWait ?? waitForSession());
        sessionWait = undefined;
        if ('givenUp' in outcome) return outcome.givenUp;
        run.session = outcome.session;
        if (outcome.address !== undefined) await abortable(foundAt(outcome.address), signal);
        held = options.takeHeld();
      }
      ready ??= prepare(run.session);
      engineInUse = ready.engine;
      setPhase('handshaking');
      await adapter.limitSegments(segmentsOn(path));
      const {
        end,
        transport,
        connectedMs,
        roundTripMs,
        hasBegun,
        hasRaced,
        hasOther,
        knownSilent,
        refusal,
        goodbye,
      } = await abortable(
        ready.serve(() => {
          run.everConnected = true;
          said.goodbye = undefined;
          run.refused = { gatewayCertificates: 0, clientCertificates: 0 };
        }),
        signal,
      );
      ready = undefined;
      run.roundTripMs = roundTripMs;
      said.goodbye = goodbye ?? said.goodbye;
      if (connectedMs !== undefined && transport === 'tls' && (end === 'silent' || end === 'connection-lost'))
        path.mayLoseLarge = true;
      keepsState = end === 'silent' && knownSilent;
      adapter.watchProblems(showConnecting);
      options.log.info('the engine ended', { end, attempt: run.attempt });
      run.failedConfigurations = end === 'configuration-failed' ? run.failedConfigurations + 1 : 0;
      // Addresses pass on to others; the gateway is still looked for where it was not yet.
      const isSomebodyElse = end === 'certificate-refused' && addresses.all().length > 1 && !hasRaced;
      const isElsewhere = run.isCutOff || (connectedMs === undefined && hasBegun && mayBeElsewhere(end));
      run.isCutOff = false;
      if (end === 'gateway-unreachable') run.unreachable.set(connection.address, refusal);
      if (connectedMs !== undefined) {
        addresses.answered();
        run.unreachable.clear();
      }
      if (end === 'certificate-refused' && !isSomebodyElse) run.refused.gatewayCertificates += 1;
      if (end === 'client-certificate-refused') run.refused.clientCertificates += 1;
      if (hasRaced && end === 'gateway-unreachable') addresses.triedAll();
      const isHopeless = run.failedConfigurations >= configurationTries;
      const hasUntried = isElsewhere && addresses.isUntriedLeft();
      const persist = connection.killSwitch || (run.everConnected && !isHopeless) || hasUntried;
      const next = isSomebodyElse ? keepSession : decide(end, hasOther, persist, run.refused);
      const why = end === 'gateway-unreachable' ? reasonOfAll([...run.unreachable.values()]) : refusal;
      if ('giveUp' in next) return why ?? next.giveUp;
      if (next.session === 'refused') run.session = undefined;
      if (connectedMs !== undefined && connectedMs >= steadyMs) run.attempt = 1;
      run.attempt += 1;
      if (run.session) {
        setPhase('waiting');
        if (isSomebodyElse) await abortable(moveTo(addresses.drop()), signal);
        else if (isElsewhere) await abortable(moveTo(addresses.next()), signal);
        // One after the other, and then again with a growing wait.
        const failures = isElsewhere && addresses.all().length > 1 ? addresses.rounds + 1 : run.attempt - 1;
        await wake.within(
          backOffMs(end === 'silent' || end === 'outpaced' || hasOther ? 1 : failures),
          signal,
        );
      }
    }
  } finally {
    stopWatch?.();
    held?.drop();
    if (engineInUse) options.onEngineLeft(engineInUse.stop());
  }
}

/** Not every network has a route to both IP versions: that there is none says something only of all addresses. */
const reasonOfAll = (reasons: readonly (DisconnectReason | undefined)[]) =>
  reasons.find((reason) => reason !== undefined && reason !== 'gateway-without-route') ??
  (reasons.includes(undefined) ? undefined : reasons[0]);

/** With the headers of IPv6 and TCP, a packet of 1,240 bytes: every network is to carry 1,280 (RFC 8200 §5). */
const smallSegment = 1_180;

/** See `SystemAdapter.limitSegments`: TLS, too, has to pass where large packets are lost. */
const segmentsOn = ({ mtu, mayLoseLarge }: TunnelPath): number | undefined =>
  mtu !== undefined || mayLoseLarge ? Math.min(smallSegment, mtu ?? Infinity) : undefined;

const keepSession = { session: 'kept' } as const;

/** Whether the gateway, which has never given this engine a tunnel, may be at another of its addresses. */
const mayBeElsewhere = (end: AttemptEnd) =>
  end === 'gateway-unreachable' || end === 'connection-lost' || end === 'failed';

function waitPolicyFor(options: ConnectionRunOptions, everConnected: boolean): WaitPolicy {
  const { connection, requester, maySignIn } = options;
  if (connection.killSwitch) return { kind: 'endless' };
  if (everConnected || requester === undefined) return { kind: 'any-client', maySignIn };
  return { kind: 'client', client: requester };
}

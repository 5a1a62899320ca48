import { isDeepStrictEqual } from 'node:util';
import type {
  ConnectRequest,
  Deadline,
  EngineKind,
  HoldRequest,
  ProxyAtAddress,
  ReachabilityTarget,
} from '#shared/helper/protocol.ts';
import type { GatewaySession } from '#shared/helper/gateway-session.ts';
import type { DisconnectReason, InvalidCause, TunnelState, TunnelStatistics } from '#shared/tunnel/state.ts';
import { canUseProxy, type EngineChoice } from '../engine/engine-choice.ts';
import type { Log } from '../log.ts';
import type { ReadRouting } from '../modes/read-routing.ts';
import type { ProcessesMoved, ProcessMove } from '../system/ports/program-groups-port.ts';
import type {
  Connection,
  OpenPortal,
  ReleaseOptions,
  RoutingChange,
  SupportedParts,
  SystemAdapter,
} from '../system/system-adapter.ts';
import { gatewayOf } from '../system/network-rules.ts';
import { createAttachedClients, type Client } from './attached-clients.ts';
import { isResolved, unresolvedAddress } from './connection-run.ts';
import { createCommandQueue, type CommandQueue } from './command-queue.ts';
import { createConnectionDeadline } from './deadline.ts';
import { createGatewayStreams, type GatewayStream } from './gateway-streams.ts';
import { createHeldForClient, type HeldForClient, type TakenConnection } from './held-for-client.ts';
import { createOwnedState } from './owned-state.ts';
import { createPortalClient, type PortalClient } from './portal-client.ts';
import { beginRun, createRun, type Run } from './run.ts';
import { createTrafficRelease, type TrafficRelease } from './traffic-release.ts';

/** A client's request, whose lists have been read. */
export type ReadConnectRequest = Omit<ConnectRequest, 'routing' | 'lists'> & { routing: ReadRouting };

/**
 * The tunnel: one connection at a time, and the state that clients see. Commands run one after the other; a later one
 * cancels what an earlier one is still doing.
 */
export class Tunnel {
  readonly clients = createAttachedClients();
  readonly state = createOwnedState();
  readonly #adapter: SystemAdapter;
  readonly #engines: EngineChoice;
  readonly #log: Log;
  readonly #deadline = createConnectionDeadline((reason) => void this.disconnect(reason));
  readonly #streams = createGatewayStreams();
  #run: Run | undefined;
  readonly #commands: CommandQueue;
  readonly #portal: PortalClient;
  readonly #traffic: TrafficRelease;
  readonly #held: HeldForClient;

  constructor(adapter: SystemAdapter, engines: EngineChoice, log: Log) {
    this.#adapter = adapter;
    this.#engines = engines;
    this.#log = log;
    this.#commands = createCommandQueue(log);
    this.#portal = createPortalClient(adapter, this.clients, log);
    this.#traffic = createTrafficRelease(adapter, log);
    this.#held = createHeldForClient({
      adapter,
      engines,
      clients: this.clients,
      isOpen: (client, request) =>
        this.#commands.pending === 0 &&
        (this.#run
          ? this.#isSigningInAt(client, request)
          : !this.#traffic.isBlocked && !this.#traffic.isUnprotected),
      log,
    });
    adapter.watchProtection((inForce) => this.#onProtection(inForce));
    adapter.watchRouting(() => this.#run && this.#giveUp(this.#run, 'configuration-failed'));
  }

  /** Undoes what an earlier helper left, or keeps traffic blocked for it. Call this once, first. */
  async recover(): Promise<void> {
    const found = await this.#adapter.recover();
    this.#traffic.isBlocked = 'blocked' in found && found.blocked;
    const connection = found.kind === 'connection' ? found.connection : undefined;
    this.state.owner = connection?.owner;
    const cause = await this.#unavailable(connection?.proxy);
    if (cause !== undefined) this.#setInvalid(cause);
    else if (connection)
      await this.#start(connection, undefined, {
        session: undefined,
        otherAddresses: connection.otherAddresses ?? [],
      });
    else if (found.kind === 'unreadable') this.#setDisconnected('journal-unreadable');
    else if (found.kind === 'ended') {
      // The app that comes next may be another one, which does not know that there was a connection.
      this.state.formerOwner = found.connection.owner;
      this.#setDisconnected('helper-restarted');
    }
  }

  /** The engines that can be used, the usual one first. */
  engines(): readonly EngineKind[] {
    return this.#engines.found;
  }

  /** Why no tunnel can be made on this machine now, or undefined if one can. */
  async #unavailable(proxy?: ProxyAtAddress): Promise<InvalidCause | undefined> {
    const engines = await this.#engines.look();
    if (!engines.some((engine) => canUseProxy(engine) || !proxy)) return 'engine-absent';
    return this.#adapter.isSupported() ? undefined : 'tunnel-unsupported';
  }

  /** The protection was removed and cannot be restored, or is in force again. */
  #onProtection(inForce: boolean): void {
    if (this.#run) {
      if (!inForce) this.#giveUp(this.#run, 'protection-lost', { keepBlocking: true });
      return;
    }
    void this.#command('disconnected', async () => {
      // The user may have unblocked traffic meanwhile.
      if (this.#run || !(this.#traffic.isBlocked || this.#traffic.isUnprotected)) return;
      const { current } = this.state;
      const { reason, goodbye } = current.state === 'disconnected' ? current : {};
      await this.#traffic.release({ keepBlocking: true });
      this.#setDisconnected(inForce && reason !== 'protection-failed' ? reason : 'protection-lost', goodbye);
    }).catch(() => undefined);
  }

  /**
   * Makes a connection for that client's user, who must be allowed to. Resolves when traffic is blocked and the
   * connection is in progress, or it has already failed, or a later command has replaced it.
   */
  connect(request: ReadConnectRequest, client: Client): Promise<void> {
    const { session, gateway, address = unresolvedAddress, routing, killSwitch, deadline } = request;
    const { ownResolvers = [], split = false, allowIncoming = false, otherAddresses = [], proxy } = request;
    this.state.owner = client.user;
    return this.#command('connecting', async () => {
      if (this.#run) await this.#end(this.#run, { keepBlocking: true });
      const cause = await this.#unavailable(proxy);
      if (cause !== undefined) {
        void this.#held.close();
        this.#setInvalid(cause);
        return;
      }
      const owner = client.user;
      const connection = {
        gateway,
        address,
        routing,
        killSwitch,
        owner,
        ...(proxy && { proxy }),
        ...(ownResolvers.length > 0 && { ownResolvers }),
        ...(split && { split }),
        ...(allowIncoming && { allowIncoming }),
      };
      const known = isResolved(connection)
        ? { session, otherAddresses }
        : { session: undefined, otherAddresses: [] };
      await this.#start(connection, client, {
        ...known,
        held: this.#held.take(connection),
        reachabilityTargets: request.reachabilityTargets,
      });
      this.#deadline.set(deadline);
    });
  }

  /** Whether the connection waits for this client's session from where the request leads. */
  #isSigningInAt(client: Client, { gateway, address, otherAddresses = [], proxy }: HoldRequest): boolean {
    const run = this.#run;
    if (!run || !isSigningIn(this.state.current) || !this.state.mayChange(client)) return false;
    const known = run.addresses.all();
    return (
      [address, ...otherAddresses].every((one) => known.includes(one)) &&
      isDeepStrictEqual([gateway, proxy], [run.connection.gateway, run.connection.proxy])
    );
  }

  /** Has a connection to a gateway ready for this client's next `connect`, or for the session that is waited for. */
  hold(client: Client, request: HoldRequest): ReturnType<HeldForClient['open']> {
    return this.#held.open(client, request);
  }

  dropHeld(client: Client): Promise<void> {
    return this.#held.drop(client);
  }

  /** `address`: where it was got. False if no connection waits for a session from there. */
  provideSession(session: GatewaySession, address?: string): boolean {
    const run = this.#run;
    if (!run || !isResolved(run.connection)) return false;
    if (address !== undefined && !run.addresses.all().includes(address)) return false;
    return run.sessions.provide(session, address);
  }

  /** Where the gateway may be, too. False if there is no connection to a known address. */
  async setAddresses(otherAddresses: readonly string[]): Promise<boolean> {
    const run = this.#run;
    if (!run || !isResolved(run.connection)) return false;
    const isNews = run.addresses.replace(otherAddresses);
    const { address } = run.connection;
    await this.#adapter.setOtherAddresses(run.addresses.all().filter((other) => other !== address));
    // It may be waiting for the next attempt at an address at which nobody is.
    if (isNews) run.wake.call();
    return true;
  }

  /**
   * A connection to the gateway, or to the proxy before it, for signing in, open as long as the session is awaited.
   * `address`: one of those where it may be. Undefined if no session is awaited from there, or if there are too many.
   */
  openGatewayStream(address?: string): GatewayStream | undefined {
    const run = this.#run;
    if (!run || !isSigningIn(this.state.current)) return undefined;
    if (address !== undefined && !run.addresses.all().includes(address)) return undefined;
    const inUse = gatewayOf(run.connection);
    const endpoint = { ...inUse, address: address ?? inUse.address };
    return this.#streams.open(() => this.#adapter.connectToGateway(endpoint));
  }

  /** Undefined if this client can get out without it, or may not. */
  openPortal(client: Client, forMs: number): Promise<OpenPortal | undefined> {
    const isNeeded = () => this.state.mayChange(client) && isBlocking(this.state.current);
    return this.#portal.open(client, forMs, isNeeded);
  }

  /** The next attempt is made at once: whoever needed the portal may have got through. */
  async closePortal(): Promise<void> {
    await this.#portal.shut();
    this.#run?.wake.call();
  }

  /**
   * The machine has slept: the connection is made again at once, over the network as it is now. Whether the gateway
   * still knows the old one would take seconds to find out, and a network that is the same as before may not tell of
   * itself.
   */
  renew(): void {
    const run = this.#run;
    if (!run) return;
    run.renewal.call();
    this.#adapter
      .lookAgain()
      .catch((error: unknown) => this.#log.error('the network could not be looked at again', error));
  }

  /** False if there is no connection. */
  setDeadline(deadline: Deadline | undefined): boolean {
    if (!this.#run) return false;
    this.#deadline.set(deadline);
    return true;
  }

  /**
   * Changes the routing without interrupting anything; resolves with false if there is no connection. Rejects if that
   * failed: then everything is routed as before, or the connection is given up.
   */
  async setRouting(change: RoutingChange): Promise<boolean> {
    const run = this.#run;
    const isRouted = await this.#adapter.route(change);
    if (!isRouted) return false;
    if (run && change.killSwitch !== undefined) run.connection.killSwitch = change.killSwitch;
    this.#emitRouting();
    return true;
  }

  /** Without a connection, whether traffic is blocked: an unreadable journal, too, counts as if it had been on. */
  isKillSwitchOn(): boolean {
    return this.#run ? this.#run.connection.killSwitch : this.#traffic.isBlocked;
  }

  #emitRouting(): void {
    if (this.state.current.state !== 'connected') return;
    this.#set({ ...this.state.current, routing: this.#adapter.activeRouting() });
  }

  /**
   * Resolves when everything is as it was before the tunnel. With a reason, it counts as a failure rather than the
   * user's wish, and the kill switch keeps traffic blocked. `client`: who says so, whose reason it is if nobody has a
   * connection.
   */
  disconnect(reason?: DisconnectReason, client?: Client): Promise<void> {
    return this.#command('disconnected', async () => {
      const isFailure = reason !== undefined;
      const goodbye = isFailure ? this.#run?.said.goodbye : undefined;
      if (client && this.state.owner === undefined) this.state.formerOwner = client.user;
      if (this.#run)
        await this.#end(this.#run, { keepBlocking: isFailure && this.#run.connection.killSwitch });
      // Also unblocks what a failed connection with the kill switch on left blocked.
      else await this.#traffic.release({ keepBlocking: isFailure && this.#traffic.isBlocked });
      this.#setDisconnected(reason, goodbye);
    });
  }

  /** Called when the helper ends: like `disconnect`, but the kill switch keeps traffic blocked for the next helper. */
  shutDown(): Promise<void> {
    return this.#command('disconnected', async () => {
      await Promise.all([this.#portal.shut(), this.#held.close()]);
      if (this.#run)
        await this.#end(this.#run, { keepBlocking: this.#run.connection.killSwitch, isAwaited: true });
    });
  }

  supported(): SupportedParts {
    return this.#adapter.supported();
  }

  /** Moves a process into its user's group of programs or out of it. Rejects with `NoSuchProcess`. */
  moveProcess(process: ProcessMove): Promise<ProcessesMoved> {
    return this.#adapter.moveProcess(process);
  }

  /** Undefined if there is no tunnel. */
  statistics(): TunnelStatistics | undefined {
    return this.#adapter.statistics();
  }

  #command(then: 'connecting' | 'disconnected', execute: () => Promise<void>): Promise<void> {
    if (this.#run) {
      this.#set({ state: 'disconnecting', then });
      this.#run.abort.abort();
    }
    // A connection that is replaced before it began would only delay its successor.
    return this.#commands.add(execute, { isReplaceable: then === 'connecting' });
  }

  /** Resolves when traffic is blocked, or the connection is over before that. */
  async #start(
    connection: Connection,
    requester: Client | undefined,
    known: {
      session: GatewaySession | undefined;
      otherAddresses?: readonly string[];
      reachabilityTargets?: readonly ReachabilityTarget[] | undefined;
      held?: TakenConnection | undefined;
    },
  ): Promise<void> {
    const { session, otherAddresses, held, reachabilityTargets = [] } = known;
    const run = createRun(connection, otherAddresses);
    this.#run = run;
    await beginRun(run, {
      requester,
      maySignIn: (client) => this.state.mayChange(client),
      session,
      reachabilityTargets,
      held,
      takeHeld: () => this.#held.take(connection),
      clients: this.clients,
      adapter: this.#adapter,
      engines: this.#engines,
      log: this.#log,
      setState: (state) => this.#set(state),
      onOver: (reason) => this.#giveUp(run, reason),
    });
  }

  /** The connection has ended by itself. With the kill switch on, traffic stays blocked. */
  #giveUp(run: Run, reason: DisconnectReason | undefined, { keepBlocking = false } = {}): void {
    void this.#command('disconnected', async () => {
      if (this.#run !== run) return;
      await this.#end(run, { keepBlocking: keepBlocking || run.connection.killSwitch });
      this.#setDisconnected(reason, run.said.goodbye);
    }).catch(() => undefined);
  }

  async #end(run: Run, options: ReleaseOptions): Promise<void> {
    // Where it was begun after the command that ends it had come, nobody has yet.
    run.abort.abort();
    await run.over;
    this.#run = undefined;
    void this.#held.close();
    this.#deadline.set(undefined);
    // The engine logs off over the uplink, which no step of the release removes.
    await Promise.all([this.#traffic.release(options), run.engineGone]);
  }

  #setDisconnected(reason: DisconnectReason | undefined, goodbye?: string): void {
    if (this.#run) return;
    this.#forgetOwner();
    // That traffic is not blocked is more important than why there is no tunnel.
    const displayed = this.#traffic.isUnprotected ? 'protection-failed' : reason;
    if (displayed) this.#log.warn('the tunnel has ended', { reason: displayed });
    this.#set({
      state: 'disconnected',
      ...(displayed && { reason: displayed }),
      ...(goodbye !== undefined && { goodbye }),
      ...this.#blockedMark(),
    });
  }

  #setInvalid(cause: InvalidCause): void {
    this.#forgetOwner();
    this.#set({ state: 'invalid', cause, ...this.#blockedMark() });
  }

  /** Nothing of the connection is left, unless the next one has already been requested. */
  #forgetOwner(): void {
    if (!this.#run && !this.#traffic.isBlocked && this.#commands.pending <= 1) this.state.release();
  }

  #blockedMark(): { blocked?: true } {
    return this.#traffic.isBlocked ? { blocked: true } : {};
  }

  #set(state: TunnelState): void {
    if (!isSigningIn(state)) this.#streams.closeAll();
    if (this.#portal.mayBeOpen && state.state === 'connected') void this.#portal.shut();
    this.state.set(state);
  }
}

/** Traffic is blocked, temporarily or until the user unblocks it. */
const isBlocking = (state: TunnelState) =>
  state.state === 'connecting' || ('blocked' in state && state.blocked === true);

const isSigningIn = (state: TunnelState) => state.state === 'connecting' && state.phase === 'authenticating';

import type { Socket } from 'node:net';
import type {
  ConnectRequest,
  Deadline,
  GatewaySession,
  ReachabilityTarget,
} from '#shared/helper/protocol.ts';
import type { DisconnectReason, InvalidCause, TunnelState, TunnelStatistics } from '#shared/tunnel/state.ts';
import type { LaunchEngine } from '../engine/engine-port.ts';
import type { Log } from '../log.ts';
import type { ReadRouting } from '../modes/read-routing.ts';
import type { ProcessesMoved, ProcessMove } from '../system/ports/program-groups-port.ts';
import type { Connection, OpenPortal, RoutingChange, SystemAdapter } from '../system/system-adapter.ts';
import { RoutingLost, SystemChangeFailed } from '../system/ports/system-change-failed.ts';
import { createAttachedClients, type Client } from './attached-clients.ts';
import { isResolved, runConnection, unresolvedAddress } from './connection-run.ts';
import { createConnectionDeadline } from './deadline.ts';
import { createGatewayStreams } from './gateway-streams.ts';
import { createOwnedState } from './owned-state.ts';
import { createSessionSlot, type SessionSlot } from './session-wait.ts';
import { createWake, type Wake } from './wake.ts';

/** A client's request, whose lists have been read. */
export type ReadConnectRequest = Omit<ConnectRequest, 'routing' | 'lists'> & { routing: ReadRouting };

/** A connection in progress or up. */
interface Run {
  /** As it was requested, but with the current kill switch. */
  readonly connection: Connection;
  readonly sessions: SessionSlot;
  readonly wake: Wake;
  readonly abort: AbortController;
  /** Settles when it is over; never rejects. */
  over: Promise<void>;
  /** Settles when its last engine has ended. */
  engineGone: Promise<void>;
}

/**
 * The tunnel: one connection at a time, and the state that clients see. Commands run one after the other; a later one
 * cancels what an earlier one is still doing.
 */
export class Tunnel {
  readonly clients = createAttachedClients();
  readonly state = createOwnedState();
  readonly #adapter: SystemAdapter;
  readonly #launchEngine: LaunchEngine;
  readonly #log: Log;
  readonly #deadline = createConnectionDeadline((reason) => void this.disconnect(reason));
  readonly #streams = createGatewayStreams();
  #run: Run | undefined;
  /** The client whose access to a captive portal may be open. */
  #portalClient: Client | undefined;
  /** Traffic is still blocked although nothing runs; this was checked. */
  #blocked = false;
  /** Traffic should be blocked, but is not. */
  #isUnprotected = false;
  #commands: Promise<void> = Promise.resolve();
  #latestCommand = 0;
  /** Commands in progress. */
  #pendingCommands = 0;

  constructor(adapter: SystemAdapter, launchEngine: LaunchEngine, log: Log) {
    this.#adapter = adapter;
    this.#launchEngine = launchEngine;
    this.#log = log;
    adapter.watchProtection((inForce) => this.#onProtection(inForce));
    this.clients.onChange(() => {
      if (this.#portalClient && !this.clients.has(this.#portalClient)) void this.#shutPortal();
    });
  }

  /** Undoes what an earlier helper left, or keeps traffic blocked for it. Call this once, first. */
  async recover(): Promise<void> {
    const found = await this.#adapter.recover();
    this.#blocked = 'blocked' in found && found.blocked;
    const connection = found.kind === 'connection' ? found.connection : undefined;
    this.state.owner = connection?.owner;
    const cause = await this.#adapter.unavailable();
    if (cause !== undefined) this.#setInvalid(cause);
    else if (connection) await this.#start(connection, undefined, undefined);
    else if (found.kind === 'unreadable') this.#setDisconnected('journal-unreadable');
    else if (found.kind === 'ended') {
      // The app that comes next may be another one, which does not know that there was a connection.
      this.state.formerOwner = found.connection.owner;
      this.#setDisconnected('helper-restarted');
    }
  }

  /** The protection was removed and cannot be restored, or is in force again. */
  #onProtection(inForce: boolean): void {
    if (this.#run) {
      if (!inForce) this.#giveUp(this.#run, 'protection-lost', { keepBlocking: true });
      return;
    }
    void this.#command('disconnected', async () => {
      // The user may have unblocked traffic meanwhile.
      if (this.#run || !(this.#blocked || this.#isUnprotected)) return;
      const reason = this.state.current.state === 'disconnected' ? this.state.current.reason : undefined;
      await this.#release({ keepBlocking: true });
      this.#setDisconnected(inForce && reason !== 'protection-failed' ? reason : 'protection-lost');
    }).catch(() => undefined);
  }

  /**
   * Makes a connection for that client's user, who must be allowed to. Resolves when traffic is blocked and the
   * connection is in progress, or it has already failed, or a later command has replaced it.
   */
  connect(request: ReadConnectRequest, client: Client): Promise<void> {
    const { session, gateway, address = unresolvedAddress, routing, killSwitch, deadline } = request;
    const { ownResolvers = [], split = false } = request;
    this.state.owner = client.user;
    return this.#command('connecting', async () => {
      if (this.#run) await this.#end(this.#run, { keepBlocking: true });
      const cause = await this.#adapter.unavailable();
      if (cause !== undefined) {
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
        ...(ownResolvers.length > 0 && { ownResolvers }),
        ...(split && { split }),
      };
      const known = isResolved(connection) ? session : undefined;
      await this.#start(connection, client, known, request.reachabilityTargets);
      this.#deadline.set(deadline);
    });
  }

  /** False if no connection waits for a session. */
  provideSession(session: GatewaySession): boolean {
    if (!this.#run || !isResolved(this.#run.connection)) return false;
    return this.#run.sessions.provide(session);
  }

  /**
   * A connection to the gateway for signing in, open as long as the session is awaited; undefined if none is, or if
   * there are too many.
   */
  openGatewayStream(): Socket | undefined {
    const run = this.#run;
    if (!run || !isSigningIn(this.state.current)) return undefined;
    const { address, gateway } = run.connection;
    return this.#streams.open(() => this.#adapter.connectToGateway({ address, port: gateway.port }));
  }

  /** Undefined if this client can get out without it, or may not. */
  openPortal(client: Client, forMs: number): Promise<OpenPortal | undefined> {
    const isWanted = () => {
      const isNeeded =
        this.clients.has(client) && this.state.mayChange(client) && isBlocking(this.state.current);
      if (isNeeded) this.#portalClient = client;
      return isNeeded;
    };
    return this.#adapter.openPortal({ client: client.user, forMs, isWanted });
  }

  /** The next attempt is made at once: whoever needed the portal may have got through. */
  async closePortal(): Promise<void> {
    await this.#shutPortal();
    this.#run?.wake.call();
  }

  #shutPortal(): Promise<void> {
    this.#portalClient = undefined;
    return this.#adapter
      .closePortal()
      .catch((error: unknown) => this.#log.error('the way to the portal could not be closed', error));
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
    try {
      const isRouted = await this.#adapter.route(change);
      if (!isRouted) return false;
      if (run && change.killSwitch !== undefined) run.connection.killSwitch = change.killSwitch;
      this.#emitRouting();
      return true;
    } catch (error) {
      if (error instanceof RoutingLost && this.#run) this.#giveUp(this.#run, error.reason);
      throw error;
    }
  }

  #emitRouting(): void {
    if (this.state.current.state !== 'connected') return;
    this.#set({ ...this.state.current, routing: this.#adapter.activeRouting() });
  }

  /**
   * Resolves when everything is as it was before the tunnel. With a reason, it counts as a failure rather than the
   * user's wish, and the kill switch keeps traffic blocked.
   */
  disconnect(reason?: DisconnectReason): Promise<void> {
    return this.#command('disconnected', async () => {
      const isFailure = reason !== undefined;
      if (this.#run)
        await this.#end(this.#run, { keepBlocking: isFailure && this.#run.connection.killSwitch });
      // Also unblocks what a failed connection with the kill switch on left blocked.
      else await this.#release({ keepBlocking: isFailure && this.#blocked });
      this.#setDisconnected(reason);
    });
  }

  /** Called when the helper ends: like `disconnect`, but the kill switch keeps traffic blocked. */
  shutDown(): Promise<void> {
    return this.#command('disconnected', async () => {
      await this.#shutPortal();
      if (this.#run) await this.#end(this.#run, { keepBlocking: this.#run.connection.killSwitch });
    });
  }

  /** Whether programs can be routed by group. */
  routesGroups(): boolean {
    return this.#adapter.routesGroups();
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
    this.#latestCommand += 1;
    this.#pendingCommands += 1;
    const number = this.#latestCommand;
    if (this.#run) {
      this.#set({ state: 'disconnecting', then });
      this.#run.abort.abort();
    }
    const done = this.#commands.then(async () => {
      try {
        // A connection that is replaced before it began would only delay its successor.
        if (then === 'connecting' && number !== this.#latestCommand) return;
        await execute();
      } finally {
        this.#pendingCommands -= 1;
      }
    });
    this.#commands = done.catch((error: unknown) => this.#log.error('a command failed', error));
    return done;
  }

  /** Resolves when traffic is blocked, or the connection is over before that. */
  async #start(
    connection: Connection,
    requester: Client | undefined,
    session: GatewaySession | undefined,
    reachabilityTargets: readonly ReachabilityTarget[] = [],
  ): Promise<void> {
    const run: Run = {
      connection,
      sessions: createSessionSlot(),
      wake: createWake(),
      abort: new AbortController(),
      over: Promise.resolve(),
      engineGone: Promise.resolve(),
    };
    this.#run = run;
    const { signal } = run.abort;
    const { promise: isBlocked, resolve: onBlocked } = Promise.withResolvers<void>();
    run.over = runConnection({
      connection,
      requester,
      maySignIn: (client) => this.state.mayChange(client),
      session,
      reachabilityTargets,
      sessions: run.sessions,
      wake: run.wake,
      clients: this.clients,
      adapter: this.#adapter,
      launchEngine: this.#launchEngine,
      log: this.#log,
      signal,
      setState: (state) => {
        if (!signal.aborted) this.#set(state);
      },
      onBlocked,
      onEngineLeft: (gone) => {
        run.engineGone = gone;
      },
    })
      .catch((error: unknown): DisconnectReason | undefined => {
        if (signal.aborted) return undefined;
        this.#log.error('the connection failed', error);
        return error instanceof SystemChangeFailed ? error.reason : 'engine-failed';
      })
      .then((reason) => {
        if (!signal.aborted) this.#giveUp(run, reason);
      });
    await Promise.race([isBlocked, run.over]);
  }

  /** The connection has ended by itself. With the kill switch on, traffic stays blocked. */
  #giveUp(run: Run, reason: DisconnectReason | undefined, { keepBlocking = false } = {}): void {
    void this.#command('disconnected', async () => {
      if (this.#run !== run) return;
      await this.#end(run, { keepBlocking: keepBlocking || run.connection.killSwitch });
      this.#setDisconnected(reason);
    }).catch(() => undefined);
  }

  async #end(run: Run, options: { keepBlocking: boolean }): Promise<void> {
    await run.over;
    this.#run = undefined;
    this.#deadline.set(undefined);
    // The engine logs off over the uplink, which no step of the release removes.
    await Promise.all([this.#release(options), run.engineGone]);
  }

  async #release(options: { keepBlocking: boolean }): Promise<void> {
    this.#isUnprotected = false;
    try {
      const { blocked } = await this.#adapter.release(options);
      this.#blocked = blocked;
      this.#isUnprotected = options.keepBlocking && !blocked;
    } catch (error) {
      // What is left is still in the journal, and is undone at the next start.
      this.#log.error('the system could not be put back as it was', error);
      this.#blocked = options.keepBlocking && (await this.#adapter.verify().catch(() => false));
      this.#isUnprotected = options.keepBlocking && !this.#blocked;
    }
  }

  #setDisconnected(reason: DisconnectReason | undefined): void {
    if (this.#run) return;
    this.#forgetOwner();
    // That traffic is not blocked is more important than why there is no tunnel.
    const displayed = this.#isUnprotected ? 'protection-failed' : reason;
    this.#set({ state: 'disconnected', ...(displayed && { reason: displayed }), ...this.#blockedMark() });
  }

  #setInvalid(cause: InvalidCause): void {
    this.#forgetOwner();
    this.#set({ state: 'invalid', cause, ...this.#blockedMark() });
  }

  /** Nothing of the connection is left, unless the next one has already been requested. */
  #forgetOwner(): void {
    if (!this.#run && !this.#blocked && this.#pendingCommands <= 1) this.state.owner = undefined;
  }

  #blockedMark(): { blocked?: true } {
    return this.#blocked ? { blocked: true } : {};
  }

  #set(state: TunnelState): void {
    if (!isSigningIn(state)) this.#streams.closeAll();
    if (this.#portalClient && state.state === 'connected') void this.#shutPortal();
    this.state.set(state);
  }
}

/** Traffic is blocked, temporarily or until the user unblocks it. */
const isBlocking = (state: TunnelState) =>
  state.state === 'connecting' || ('blocked' in state && state.blocked === true);

const isSigningIn = (state: TunnelState) => state.state === 'connecting' && state.phase === 'authenticating';

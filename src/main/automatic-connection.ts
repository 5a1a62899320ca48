import { serverAddress } from '#shared/tunnel/address.ts';
import type { DisconnectReason, TunnelState } from '#shared/tunnel/state.ts';
import type { Core } from './core.ts';

export interface AutomaticConnectionOptions {
  core: Core;
  /** It has failed for this reason. */
  giveUp(reason: DisconnectReason): void;
  /** The pauses before trying again when there was no network. */
  pausesMs?: readonly number[];
}

/** A connection to the chosen server without a click. Any action of the user ends the attempt. */
export interface AutomaticConnection {
  /** Connects, unless there is a tunnel or nobody is signed in. Restarts an attempt in progress. */
  begin(): void;
  /** An attempt in progress continues, but if it fails, there is no other one. */
  stop(): void;
  isTrying(): boolean;
}

/** After a start, or after joining a network, the network is usually ready within two minutes or not at all. */
const usualPausesMs = [2000, 4000, 8000, 16_000, 30_000, 60_000];

const isWithoutNetwork = (reason: DisconnectReason) =>
  reason === 'gateway-name-unknown' || reason === 'gateway-unreachable';

export function createAutomaticConnection(options: AutomaticConnectionOptions): AutomaticConnection {
  const { core } = options;
  /** The pauses that are left, and whether the first attempt has started. */
  let attempt: { pausesMs: number[]; hasBegun: boolean } | undefined;
  let pause: NodeJS.Timeout | undefined;

  function stop(): void {
    attempt = undefined;
    clearTimeout(pause);
  }

  async function connect(mine: typeof attempt): Promise<void> {
    const server = core.server.server();
    if (!server) return stop();
    const reply = await core.tunnel.connectTo(serverAddress(server));
    if (!reply.ok && attempt === mine) stop();
  }

  function follow(state: TunnelState): void {
    if (!attempt?.hasBegun || state.state === 'connecting' || state.state === 'disconnecting') return;
    if (state.state !== 'disconnected') return stop();
    const { reason } = state;
    if (reason === undefined) return;
    const wait = isWithoutNetwork(reason) ? attempt.pausesMs.shift() : undefined;
    if (wait !== undefined) {
      const mine = attempt;
      clearTimeout(pause);
      pause = setTimeout(() => void connect(mine), wait).unref();
      return;
    }
    stop();
    options.giveUp(reason);
  }

  async function begin(): Promise<void> {
    stop();
    const mine = { pausesMs: [...(options.pausesMs ?? usualPausesMs)], hasBegun: false };
    attempt = mine;
    await Promise.all([core.session.load(), core.routingModes()]);
    if (attempt !== mine) return;
    const { state, ownedByOther } = core.tunnel.state();
    if (state !== 'disconnected' || ownedByOther || !core.session.session().signedIn) return stop();
    mine.hasBegun = true;
    await connect(mine);
  }

  core.onTunnelCommand(stop);
  core.onTunnelState(follow);
  return { begin: () => void begin(), stop, isTrying: () => attempt !== undefined };
}

import { serverAddress } from '#shared/tunnel/address.ts';
import type { DisconnectReason, TunnelState } from '#shared/tunnel/state.ts';
import type { Core } from './core.ts';

export interface AutomaticConnectionOptions {
  core: Core;
  /** It has not become anything, for this reason. */
  giveUp(reason: DisconnectReason): void;
  /** After which a network that was not there is tried again. */
  pausesMs?: readonly number[];
}

/** A connection to the chosen server without a click; what the user presses meanwhile ends that. */
export interface AutomaticConnection {
  /** Connects, unless there is a tunnel or nobody is signed in. Where it is trying already, it begins again. */
  begin(): void;
  /** What is being made is made; if that fails, it is not tried again. */
  stop(): void;
  isTrying(): boolean;
}

/** The network of a computer that has just started or joined one comes within two minutes, or not by itself. */
const usualPausesMs = [2000, 4000, 8000, 16_000, 30_000, 60_000];

const isWithoutNetwork = (reason: DisconnectReason) =>
  reason === 'gateway-name-unknown' || reason === 'gateway-unreachable';

export function createAutomaticConnection(options: AutomaticConnectionOptions): AutomaticConnection {
  const { core } = options;
  /** The pauses that are left, once the first attempt has begun. */
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

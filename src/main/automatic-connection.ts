import { serverAddress } from '#shared/tunnel/address.ts';
import type { DisconnectReason, TunnelState } from '#shared/tunnel/state.ts';
import type { Core } from './core.ts';

export interface ConnectAtStartOptions {
  core: Core;
  /** It has not become anything, for this reason. */
  giveUp(reason: DisconnectReason): void;
  /** After which a network that was not there is tried again. */
  pausesMs?: readonly number[];
}

/** The network of a computer that has just started comes within two minutes, or not by itself. */
const usualPausesMs = [2000, 4000, 8000, 16_000, 30_000, 60_000];

const isWithoutNetwork = (reason: DisconnectReason) =>
  reason === 'gateway-name-unknown' || reason === 'gateway-unreachable';

/** Connects as soon as the app is up, where the user has set that; what they press meanwhile ends it. */
export function connectAtStart(options: ConnectAtStartOptions): { close(): void } {
  const { core } = options;
  const pauses = [...(options.pausesMs ?? usualPausesMs)];
  let isOver = false;
  let pause: NodeJS.Timeout | undefined;

  function end(): void {
    isOver = true;
    clearTimeout(pause);
  }

  async function connect(): Promise<void> {
    const server = core.server.server();
    if (isOver || !server) return end();
    const reply = await core.tunnel.connectTo(serverAddress(server));
    if (!reply.ok) end();
  }

  function follow(state: TunnelState): void {
    if (isOver || state.state === 'connecting' || state.state === 'disconnecting') return;
    if (state.state !== 'disconnected') return end();
    const { reason } = state;
    if (reason === undefined) return;
    const wait = isWithoutNetwork(reason) ? pauses.shift() : undefined;
    if (wait !== undefined) {
      clearTimeout(pause);
      pause = setTimeout(() => void connect(), wait).unref();
      return;
    }
    end();
    options.giveUp(reason);
  }

  async function begin(): Promise<void> {
    await Promise.all([core.session.load(), core.routingModes()]);
    const { state, ownedByOther } = core.tunnel.state();
    if (isOver || state !== 'disconnected' || ownedByOther || !core.session.session().signedIn) return end();
    core.onTunnelState(follow);
    await connect();
  }

  if (core.behaviour.get().connectAtStart) {
    core.onTunnelCommand(end);
    void begin();
  }
  return { close: end };
}

import { isWithoutHelper } from '#shared/tunnel/look.ts';
import type { DisconnectReason, TunnelState } from '#shared/tunnel/state.ts';
import type { Core } from './core/core.ts';

export interface AutomaticConnectionOptions {
  core: Core;
  /** It has failed for this reason. */
  giveUp(reason: DisconnectReason): void;
  /** The pauses before trying again when what was missing may come: a network, or the right time. */
  pausesMs?: readonly number[];
  /** The pause between all tries after those; without it, it gives up then. */
  laterMs?: number;
}

/** A connection to the chosen server without a click. Any action of the user ends the attempt. */
export interface AutomaticConnection {
  /**
   * Connects, unless there is a tunnel or nobody is signed in, for which it waits while the keychain has not answered.
   * Restarts an attempt in progress.
   */
  begin(): void;
  /** The same at the app's start, if the user wants that. */
  beginAtStart(): void;
  /** An attempt in progress continues, but if it fails, there is no other one. */
  stop(): void;
  isTrying(): boolean;
}

/** After a start, or after joining a network, the network is usually ready within two minutes or not at all. */
const usualPausesMs = [2000, 4000, 8000, 16_000, 30_000, 60_000];

/** At the start of the computer, the helper may start after the app. */
const waitsMs = {
  'without-helper': 120_000,
  // So may the keychain, which is asked again until then; see session-store.ts.
  'without-session': 180_000,
} as const;

/** There is no network yet, or nothing has set the clock yet, as after the start of a computer. */
const mayPass = (reason: DisconnectReason) =>
  reason === 'gateway-name-unknown' ||
  reason === 'gateway-unreachable' ||
  reason === 'gateway-refuses-connections' ||
  reason === 'gateway-without-route' ||
  reason === 'gateway-tls-failed' ||
  reason === 'gateway-certificate-dates';

export function createAutomaticConnection(options: AutomaticConnectionOptions): AutomaticConnection {
  const { core } = options;
  /** The pauses that are left, and what it waits for, or whether the first attempt has started. */
  let attempt:
    | { pausesMs: number[]; phase: 'preparing' | 'without-session' | 'without-helper' | 'begun' }
    | undefined;
  let pause: NodeJS.Timeout | undefined;

  function stop(): void {
    attempt = undefined;
    clearTimeout(pause);
  }

  async function connect(mine: typeof attempt): Promise<void> {
    const server = core.server.server();
    if (!server) return stop();
    const reply = await core.tunnel.connectTo(server);
    if (!reply.ok && attempt === mine) stop();
  }

  function follow(state: TunnelState): void {
    if (attempt?.phase === 'without-helper') return start(attempt);
    if (attempt?.phase !== 'begun' || state.state === 'connecting' || state.state === 'disconnecting') return;
    if (state.state !== 'disconnected') return stop();
    const { reason } = state;
    if (reason === undefined) return;
    const wait = mayPass(reason) ? (attempt.pausesMs.shift() ?? options.laterMs) : undefined;
    if (wait !== undefined) {
      const mine = attempt;
      clearTimeout(pause);
      pause = setTimeout(() => void connect(mine), wait).unref();
      return;
    }
    stop();
    // Users know what they have cancelled.
    if (reason !== 'sign-in-cancelled') options.giveUp(reason);
  }

  function waitFor(phase: keyof typeof waitsMs, mine: NonNullable<typeof attempt>): void {
    if (mine.phase === phase) return;
    mine.phase = phase;
    clearTimeout(pause);
    pause = setTimeout(stop, waitsMs[phase]).unref();
  }

  function start(mine: NonNullable<typeof attempt>): void {
    const state = core.tunnel.state();
    const { signedIn, persistence } = core.session.session();
    if (!signedIn) return persistence === 'memory' ? waitFor('without-session', mine) : stop();
    if (isWithoutHelper(state)) return waitFor('without-helper', mine);
    clearTimeout(pause);
    if (state.state !== 'disconnected' || state.ownedByOther) return stop();
    mine.phase = 'begun';
    void connect(mine);
  }

  async function begin(): Promise<void> {
    stop();
    const pausesMs = [...(options.pausesMs ?? usualPausesMs)];
    const mine: NonNullable<typeof attempt> = { pausesMs, phase: 'preparing' };
    attempt = mine;
    await Promise.all([core.session.load(), core.routingModes()]);
    if (attempt === mine) start(mine);
  }

  core.onTunnelCommand(stop);
  core.onTunnelState(follow);
  core.session.onChange(() => {
    if (attempt?.phase === 'without-session') start(attempt);
  });
  return {
    begin: () => void begin(),
    beginAtStart() {
      if (core.behaviour.get().connectAtStart) void begin();
    },
    stop,
    isTrying: () => attempt !== undefined,
  };
}

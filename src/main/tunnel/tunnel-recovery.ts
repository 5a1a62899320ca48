import { pauseAfter } from '#shared/back-off.ts';
import { isWithoutHelper } from '#shared/tunnel/look.ts';
import type { Gateway, TunnelState } from '#shared/tunnel/state.ts';
import { startWatch } from '../after-time.ts';

/** Restores a tunnel that was lost with the helper, once the next helper runs. */
export interface TunnelRecovery {
  /** The user wants a tunnel to this gateway from now on, or none. */
  want(gateway: Gateway | undefined): void;
  /** Call this with every state of the helper. */
  follow(state: TunnelState): void;
}

export interface TunnelRecoveryOptions {
  /** There will be another attempt, possibly after a pause. */
  onRestart(gateway: Gateway, attempt: number): void;
  connect(gateway: Gateway): void;
  /** The helper ended too often. */
  giveUp(): void;
}

const maxRestarts = 5;
const backOff = { firstMs: 1000, maxMs: 30_000 } as const;
/** After a tunnel was up for this long, the count of restarts begins again. */
const steadyMs = 60_000;

export function createTunnelRecovery(options: TunnelRecoveryOptions): TunnelRecovery {
  let wanted: Gateway | undefined;
  /** The helper went away while a tunnel was wanted; with the kill switch on, the next helper restores it by itself. */
  let isLost = false;
  let restarts = 0;
  /** How long the last tunnel has been there. */
  let upMs: (() => number) | undefined;
  let pause: NodeJS.Timeout | undefined;

  function want(gateway: Gateway | undefined): void {
    clearTimeout(pause);
    upMs = undefined;
    wanted = gateway;
    isLost = false;
    restarts = 0;
  }

  function restart(gateway: Gateway): void {
    isLost = false;
    restarts += 1;
    if (restarts > maxRestarts) {
      want(undefined);
      options.giveUp();
      return;
    }
    options.onRestart(gateway, restarts + 1);
    if (restarts === 1) {
      options.connect(gateway);
      return;
    }
    pause = setTimeout(() => options.connect(gateway), pauseAfter(restarts - 1, backOff));
    pause.unref();
  }

  return {
    want,
    follow(state) {
      if (state.ownedByOther) {
        want(undefined);
        return;
      }
      switch (state.state) {
        case 'invalid':
          if (upMs && upMs() >= steadyMs) restarts = 0;
          upMs = undefined;
          clearTimeout(pause);
          isLost ||= wanted !== undefined && isWithoutHelper(state);
          return;
        case 'disconnected':
          if (!wanted) return;
          // With any other reason, a helper has not lost its connection, but given it up.
          if (isLost && (state.reason === undefined || state.reason === 'helper-restarted')) restart(wanted);
          else want(undefined);
          return;
        case 'connecting':
          wanted = state.gateway;
          isLost = false;
          return;
        case 'connected':
          wanted = state.gateway;
          isLost = false;
          upMs ??= startWatch();
          return;
        case 'disconnecting':
          return;
        default:
          state satisfies never;
      }
    },
  };
}

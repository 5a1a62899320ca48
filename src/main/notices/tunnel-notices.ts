import type { SignInPlace } from '#shared/plan/usable-group.ts';
import { isBlocked } from '#shared/tunnel/look.ts';
import type { DisconnectReason, TunnelState } from '#shared/tunnel/state.ts';

/** A notification. Each says that something is not as the user believes. */
export type TunnelNotice =
  | { kind: 'connected'; gateway: SignInPlace }
  | { kind: 'reconnecting' }
  | { kind: 'blocked'; reason: DisconnectReason | undefined }
  | { kind: 'disconnected'; reason: DisconnectReason | undefined };

/** What happens to the user's traffic. `trying`, or any other state: nothing certain yet. */
type Outlook = 'up' | 'trying' | 'open' | 'blocked';

export interface NoticeMemory {
  /** What the user believes, from what they did, saw in the window, or were told; undefined: nothing yet. */
  belief: Outlook | undefined;
  now: Outlook | undefined;
  /** When the user last connected or disconnected, if nothing has been reported since. */
  commandedAt: number;
  /** Since when a tunnel that the user believes in has been gone. */
  lostAt: number | undefined;
}

/** `at`: milliseconds since any fixed time. */
export type NoticeEvent =
  | { type: 'state'; state: TunnelState; isInFront: boolean; at: number }
  /** The user has connected or disconnected, here or in a page. */
  | { type: 'command'; command: 'connect' | 'disconnect'; at: number }
  /** The user has seen the window, which shows the current state. */
  | { type: 'seen' }
  /** Time has passed, see `wakeAt`. */
  | { type: 'wake'; at: number };

export const noMemory: NoticeMemory = {
  belief: undefined,
  now: undefined,
  commandedAt: -Infinity,
  lostAt: undefined,
};

/** What happens this soon after a click is what the user has just asked for. */
const justDoneMs = 10_000;
/** If the tunnel is back within this time, its loss is not reported. */
const graceMs = 5000;

/** When the next notification is due without a new event. */
export const wakeAt = ({ lostAt }: NoticeMemory): number | undefined =>
  lostAt === undefined ? undefined : lostAt + graceMs;

export function nextNotice(
  before: NoticeMemory,
  event: NoticeEvent,
): { memory: NoticeMemory; notice?: TunnelNotice } {
  const { memory, notice } = next(before, event);
  // What follows is no longer a result of the user's last click.
  return notice ? { memory: { ...memory, commandedAt: -Infinity }, notice } : { memory };
}

function next(memory: NoticeMemory, event: NoticeEvent): { memory: NoticeMemory; notice?: TunnelNotice } {
  switch (event.type) {
    case 'state':
      return onState(memory, event);
    case 'command':
      return {
        memory: {
          ...memory,
          belief: event.command === 'connect' ? 'trying' : 'open',
          commandedAt: event.at,
          lostAt: undefined,
        },
      };
    case 'seen':
      return { memory: { ...memory, belief: memory.now ?? memory.belief, lostAt: undefined } };
    case 'wake': {
      const wake = wakeAt(memory);
      if (wake === undefined || event.at < wake) return { memory };
      return { memory: { ...memory, belief: 'trying', lostAt: undefined }, notice: { kind: 'reconnecting' } };
    }
    default:
      return event satisfies never;
  }
}

function onState(
  before: NoticeMemory,
  { state, isInFront, at }: Extract<NoticeEvent, { type: 'state' }>,
): { memory: NoticeMemory; notice?: TunnelNotice } {
  // What another user does on this computer is private.
  if (state.ownedByOther) return { memory: noMemory };
  const now = outlookOf(state);
  if (now === undefined) return { memory: before };
  const memory = { ...before, now };
  const believe = (belief: Outlook, notice?: TunnelNotice) => ({
    memory: { ...memory, belief, lostAt: undefined },
    ...(notice && !isInFront && { notice }),
  });
  if (isInFront) return believe(now);
  const { belief } = before;
  if (belief === now) return believe(now);
  const reason = state.state === 'disconnected' ? state.reason : undefined;
  switch (now) {
    case 'blocked':
      return believe('blocked', { kind: 'blocked', reason });
    case 'trying':
      if (belief !== 'up') return { memory: { ...memory, belief: belief ?? 'open' } };
      return { memory: { ...memory, lostAt: before.lostAt ?? at } };
    case 'up': {
      const isJustDone = at - before.commandedAt < justDoneMs;
      // The tunnel is still being taken down.
      if (belief === 'open' && isJustDone) return { memory };
      const isNews = belief !== undefined && !isJustDone && state.state === 'connected';
      return believe('up', isNews ? { kind: 'connected', gateway: state.gateway } : undefined);
    }
    case 'open':
      // Until the attempt has started, the state looks as before.
      if (belief === 'trying' && reason === undefined) return { memory };
      return believe('open', isNewsThatOpen(belief, reason) ? { kind: 'disconnected', reason } : undefined);
    default:
      return now satisfies never;
  }
}

function isNewsThatOpen(belief: Outlook | undefined, reason: DisconnectReason | undefined): boolean {
  if (reason === 'sign-in-cancelled' || belief === undefined) return false;
  // Only users unblock their traffic.
  return belief === 'blocked' ? reason !== undefined : true;
}

function outlookOf(state: TunnelState): Outlook | undefined {
  if (isBlocked(state)) return 'blocked';
  switch (state.state) {
    case 'connected':
      return 'up';
    case 'disconnected':
      return 'open';
    case 'connecting':
    // A helper that went away may come back with the tunnel.
    case 'invalid':
      return 'trying';
    case 'disconnecting':
      return undefined;
    default:
      return state satisfies never;
  }
}

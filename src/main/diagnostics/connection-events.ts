import { isBlocked, problemsByWeight } from '#shared/tunnel/look.ts';
import type { ConnectionEvent, LossCause } from '#shared/tunnel/connection-log.ts';
import type { ConnectionProblem, TunnelState } from '#shared/tunnel/state.ts';

/** What the connection log says so far. */
export interface EventMemory {
  /** `up`: the tunnel was established at this time; `lost`: it was up and is being recreated. */
  phase: { is: 'down' } | { is: 'trying' } | { is: 'up'; since: number } | { is: 'lost' };
  problem: ConnectionProblem | undefined;
  isBlocked: boolean;
}

export const noEvents: EventMemory = { phase: { is: 'down' }, problem: undefined, isBlocked: false };

interface Surroundings {
  /** The name of the server in this state. */
  server: string;
  /** Why a tunnel that is lost now was lost. */
  lossCause(): LossCause;
  /** The user has connected or disconnected since the last state. */
  isCommanded: boolean;
}

/** The log entries for a new state of the tunnel. */
export function nextEvents(
  memory: EventMemory,
  state: TunnelState,
  around: Surroundings,
): { memory: EventMemory; events: ConnectionEvent[] } {
  // What another user does on this computer is private.
  if (state.ownedByOther) return { memory: noEvents, events: [] };
  switch (state.state) {
    case 'connected':
      return onConnected(memory, state, around);
    case 'connecting': {
      const { phase } = memory;
      // Choosing another server is not a loss.
      const isLost = phase.is === 'up' && !around.isCommanded;
      const next = isLost || phase.is === 'lost' ? ({ is: 'lost' } as const) : ({ is: 'trying' } as const);
      return {
        memory: { ...memory, phase: next, problem: undefined },
        events: isLost ? [{ kind: 'lost', cause: state.goodbye ? 'server-ended' : around.lossCause() }] : [],
      };
    }
    case 'disconnected':
      return onDisconnected(memory, state);
    // A helper that went away may come back with the tunnel.
    case 'invalid':
    case 'disconnecting':
      return { memory, events: [] };
    default:
      return state satisfies never;
  }
}

function onConnected(
  memory: EventMemory,
  state: Extract<TunnelState, { state: 'connected' }>,
  { server }: Surroundings,
): ReturnType<typeof nextEvents> {
  const { since } = state;
  const isNew = memory.phase.is !== 'up' || memory.phase.since !== since;
  const [problem] = problemsByWeight(state);
  const events: ConnectionEvent[] = isNew ? [{ kind: 'connected', server, since }] : [];
  if (problem && problem !== memory.problem) events.push({ kind: 'impaired', problem });
  if (!problem && memory.problem && !isNew) events.push({ kind: 'repaired' });
  return { memory: { phase: { is: 'up', since }, problem, isBlocked: false }, events };
}

function onDisconnected(
  memory: EventMemory,
  state: Extract<TunnelState, { state: 'disconnected' }>,
): ReturnType<typeof nextEvents> {
  const { reason } = state;
  const blocked = isBlocked(state);
  const events: ConnectionEvent[] = [];
  const wasUp = memory.phase.is === 'up' || memory.phase.is === 'lost';
  // Users who cancel an attempt know that it did not succeed.
  if (memory.phase.is !== 'down' && (wasUp || (reason !== undefined && reason !== 'sign-in-cancelled'))) {
    events.push({ kind: 'ended', ...(reason && { reason }) });
  }
  if (blocked && !memory.isBlocked) events.push({ kind: 'blocked' });
  if (!blocked && memory.isBlocked) events.push({ kind: 'unblocked' });
  return { memory: { phase: { is: 'down' }, problem: undefined, isBlocked: blocked }, events };
}

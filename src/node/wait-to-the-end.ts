import { setImmediate as nextTurn } from 'node:timers/promises';

/** The turns of Node's loop until a message has been handled that had come: JSON-RPC does that in the turn after. */
export const turnsToHandle = 3;

/**
 * Calls back after so many milliseconds, when everything that had come by then has been read. Node.js runs its timers
 * before it reads (libuv, `uv_run`): where a machine was busy or stood still for longer than the wait, an answer that
 * had long been there would lose against the end of the wait for it. Returns a function that ends the wait. `turns`:
 * `turnsToHandle` where what has been read is handled later.
 */
export function waitToTheEnd(milliseconds: number, onEnd: () => void, turns = 1): () => void {
  let turn: NodeJS.Immediate | undefined;
  const goOn = (left: number): void => {
    turn = setImmediate(() => (left > 1 ? goOn(left - 1) : onEnd()));
  };
  const timer = setTimeout(() => goOn(turns), milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}

/** Resolves when everything has been handled that had come when this was called by a timer. */
export async function untilHandled(): Promise<void> {
  for (let turns = 0; turns < turnsToHandle; turns += 1) await nextTurn();
}

/**
 * Calls back after so many milliseconds, when everything that had come by then has been read. Node.js runs its timers
 * before it reads (libuv, `uv_run`): where a machine was busy or stood still for longer than the wait, an answer that
 * had long been there would lose against the end of the wait for it. Returns a function that ends the wait.
 */
export function waitToTheEnd(milliseconds: number, onEnd: () => void): () => void {
  let turn: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => (turn = setImmediate(onEnd)), milliseconds);
  return () => {
    clearTimeout(timer);
    clearImmediate(turn);
  };
}

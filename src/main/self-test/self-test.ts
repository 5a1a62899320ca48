import type { InsideTask, Message } from './verdict.ts';

/** What a computer lacks for a self-test, before anything was begun. */
export type Lack =
  | { kind: 'not-root' }
  | { kind: 'no-tun'; detail: string }
  | { kind: 'no-program'; program: string };

/** How a self-test has ended. `died`: the part inside did, without a word. */
export type Ending = { kind: 'done' } | { kind: 'died'; output: string } | { kind: 'interrupted' };

/** How a system runs a self-test apart from the computer's own network. */
export interface SelfTestSystem {
  /** What is missing, if anything. */
  lack(): Lack | undefined;
  /** Runs the part inside; everything that it has made is gone when this resolves. */
  run(
    task: Omit<InsideTask, 'controlGroup'>,
    options: { signal: AbortSignal; onMessage: (message: Message) => void },
  ): Promise<Ending>;
  /** The part inside, told as JSON what to do. */
  inside(task: string): Promise<void>;
}

import { isHelperWaiting } from './macos/launchd-approval.ts';

/** What was found last. A helper that is expected is looked for ten times a second. */
let last: { answer: Promise<boolean>; at: number } | undefined;
const repeatMs = 1000;

/** Whether the helper does not run because its system waits for the user to allow it. */
export function isHelperUnapproved(): Promise<boolean> {
  if (process.platform !== 'darwin') return Promise.resolve(false);
  if (!last || performance.now() - last.at >= repeatMs)
    last = { answer: isHelperWaiting(), at: performance.now() };
  return last.answer;
}

import { withTimeout } from '../with-timeout.ts';
import type { HelperClient } from './helper-client.ts';

/** A helper that hangs is worth a report that says so. */
const answerMs = 3000;

/** The helper's and the engine's latest lines about this user's connections, as JSON; undefined if it gives none. */
export async function readHelperLog(
  helper: Pick<HelperClient, 'call' | 'capabilities'>,
): Promise<readonly string[] | undefined> {
  // One that is older does not know the call.
  if (!helper.capabilities()?.includes('log')) return undefined;
  const answer = helper.call('readLog', {}).then(
    ({ lines }) => lines,
    () => undefined,
  );
  return await withTimeout(answer, answerMs, undefined);
}

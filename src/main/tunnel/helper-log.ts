import { withTimeout } from '../with-timeout.ts';
import type { HelperClient } from './helper-client.ts';

/** If the helper hangs, the report says so. */
const answerMs = 3000;

/**
 * The latest lines of the helper and the engine about this user's connections, as JSON; undefined if it returns none.
 */
export async function readHelperLog(
  helper: Pick<HelperClient, 'call' | 'capabilities'>,
): Promise<readonly string[] | undefined> {
  // Older helpers do not have this call.
  if (!helper.capabilities()?.includes('log')) return undefined;
  const answer = helper.call('readLog', {}).then(
    ({ lines }) => lines,
    () => undefined,
  );
  return await withTimeout(answer, answerMs, undefined);
}

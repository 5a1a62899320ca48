import { compareVersions } from '#node/manifest/manifest.ts';
import type { UpdateMemory } from './update-memory.ts';

/**
 * Whether the version whose installer was started last is there, since nobody saw how it ended. The version that is not, or
 * undefined; what succeeded is forgotten.
 */
export function settleLastAttempt(
  { started, failed }: Pick<UpdateMemory, 'started' | 'failed'>,
  version: string,
): string | undefined {
  const last = started.get();
  if (last !== undefined) {
    started.set(undefined);
    failed.set(compareVersions(version, last) < 0 ? last : undefined);
  }
  const earlier = failed.get();
  if (earlier === undefined || compareVersions(version, earlier) < 0) return earlier;
  failed.set(undefined);
  return undefined;
}

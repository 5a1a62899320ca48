import { compareVersions } from '#node/manifest/manifest.ts';
import type { UpdateInstaller } from './update-installer.ts';
import type { UpdateMemory } from './update-memory.ts';

/** What has become of the version whose installer was started last, which nobody saw end. */
export type LastAttempt =
  /** It is there, or none was started. */
  | { kind: 'none' }
  /** Its installer, or another one, still runs. */
  | { kind: 'running' }
  | { kind: 'failed'; version: string };

/**
 * Whether that version is there, once no installer runs; what has succeeded is forgotten. `version`: the one that runs.
 */
export async function settleLastAttempt(
  { started, failed }: Pick<UpdateMemory, 'started' | 'failed'>,
  version: string,
  installer: Pick<UpdateInstaller, 'isRunning'>,
): Promise<LastAttempt> {
  const isMissing = (one: string | undefined) => one !== undefined && compareVersions(version, one) < 0;
  if (isMissing(started.get()) && (await installer.isRunning())) return { kind: 'running' };
  const last = started.get();
  if (last !== undefined) {
    started.set(undefined);
    failed.set(isMissing(last) ? last : undefined);
  }
  const earlier = failed.get();
  if (earlier === undefined) return { kind: 'none' };
  if (isMissing(earlier)) return { kind: 'failed', version: earlier };
  failed.set(undefined);
  return { kind: 'none' };
}

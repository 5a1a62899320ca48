import { createHash } from 'node:crypto';

/** Whether an installation is among the first so many percent that an update is offered to. */
export const isInRollout = (
  installation: string,
  { version, percent }: { version: string; percent: number },
): boolean => turnOf(installation, version) < percent;

/** At least 0 and below 100; different with each version, so that the same computers are not always the first. */
function turnOf(installation: string, version: string): number {
  const digest = createHash('sha256').update(`${installation} ${version}`).digest();
  return (digest.readUInt32BE(0) / 2 ** 32) * 100;
}

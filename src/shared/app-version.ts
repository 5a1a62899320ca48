import * as z from 'zod/mini';

/** The version of a release: three numbers. */
export const releaseVersion = z.string().check(z.regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/));

/** Whether release `one` is newer than `other`; false if either is not a release version. */
export function isNewer(one: string, other: string): boolean {
  if (!releaseVersion.safeParse(one).success || !releaseVersion.safeParse(other).success) return false;
  const [ours, theirs] = [one, other].map((version) => version.split('.').map(Number));
  const differing = ours?.findIndex((part, index) => part !== theirs?.[index]) ?? -1;
  return differing >= 0 && (ours?.[differing] ?? 0) > (theirs?.[differing] ?? 0);
}

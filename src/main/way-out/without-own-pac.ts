import type { EarlierSettings } from './desktop-way.ts';

/**
 * The settings from before ours, if `script` is a PAC file of our own: we would be led back to ourselves by it.
 * `earlier`: of each place where ours may have been written.
 */
export function settingsWithoutOwnPac(
  script: string | undefined,
  earlier: readonly (EarlierSettings | undefined)[],
): EarlierSettings['own'] | undefined {
  if (script === undefined) return undefined;
  return earlier.find((before) => before?.pacUrls.includes(script) === true)?.own;
}

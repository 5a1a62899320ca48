import type { FeedName } from '#node/manifest/update-feed.ts';

/** The address of the folder with the feed of updates, which a package's build puts in place of this name. */
declare const updatesUrlOfThisBuild: string;
/** Which of our packages this program is a part of, likewise. */
declare const updatesNameOfThisBuild: FeedName;

/**
 * Where the feed is, with a slash at its end, and the package that it is to be for; undefined where a package manager
 * brings updates, or nobody does.
 */
export function updatesPlace(): { url: string; name: FeedName } | undefined {
  const url = typeof updatesUrlOfThisBuild === 'string' ? updatesUrlOfThisBuild : '';
  if (url === '') return undefined;
  const name = typeof updatesNameOfThisBuild === 'string' ? updatesNameOfThisBuild : 'waymaker-core';
  return { url: url.replace(/\/*$/, '/'), name };
}

/** The address of the folder with the feed of updates, which a package's build puts in place of this name. */
declare const updatesUrlOfThisBuild: string;

const compiledIn = typeof updatesUrlOfThisBuild === 'string' ? updatesUrlOfThisBuild : '';

/** With a slash at its end; undefined where a package manager brings updates, or nobody does. */
export const updatesUrl = (): string | undefined =>
  compiledIn === '' ? undefined : compiledIn.replace(/\/*$/, '/');

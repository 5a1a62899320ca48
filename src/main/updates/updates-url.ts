/** The folder with the feed of updates; a package's build puts it in this name's place. */
declare const updatesUrlOfThisBuild: string;

const compiledIn = typeof updatesUrlOfThisBuild === 'string' ? updatesUrlOfThisBuild : '';

/** With a slash at its end; undefined where a package manager brings updates, or nobody does. */
export const updatesUrl = (): string | undefined =>
  compiledIn === '' ? undefined : compiledIn.replace(/\/*$/, '/');

/**
 * The address of a folder with a feed, which is compiled into programs; undefined where none is given. Throws for one
 * that is not of https: whoever is in between could offer an old feed for as long as they want to, or see who asks.
 */
export function updatesAddress(given: string | undefined): string | undefined {
  if (given === undefined || given === '') return undefined;
  const url = URL.parse(given);
  if (url?.protocol !== 'https:' || url.username || url.password || url.search || url.hash)
    throw new Error('WAYMAKER_UPDATES_URL is no address of a folder, https://…');
  return url.href;
}

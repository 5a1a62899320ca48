/** Servers that an app remembers for its user, by their ids at the service. */

const maxFavourites = 200;
const maxRecents = 10;

/** In the order in which they were marked; returns the same list if nothing changes. */
export function withFavourite(
  favourites: readonly string[],
  id: string,
  isFavourite: boolean,
): readonly string[] {
  if (favourites.includes(id) === isFavourite) return favourites;
  const others = favourites.filter((other) => other !== id);
  return isFavourite ? [...others, id].slice(-maxFavourites) : others;
}

/** Newest first, starting with the one that was connected to now; returns the same list if nothing changes. */
export function withRecent(recents: readonly string[], id: string): readonly string[] {
  return recents[0] === id ? recents : [id, ...recents.filter((other) => other !== id)].slice(0, maxRecents);
}

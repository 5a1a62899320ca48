/** The location for which this document was loaded, by its key in the history. */
let first: string | undefined;
let isFirst = true;

/**
 * Whether this document has shown another page than its first. The first page does not move the focus: a screen reader
 * that has just begun to read the document must not be interrupted.
 */
export function hasBeenElsewhere(locationKey: string): boolean {
  first ??= locationKey;
  isFirst &&= first === locationKey;
  return !isFirst;
}

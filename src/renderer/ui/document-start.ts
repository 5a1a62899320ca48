/** The location that this document was loaded for, by its key in the history. */
let first: string | undefined;
let isFirst = true;

/**
 * Whether this document has shown another page than its first. On that one nothing takes the focus: a screen
 * reader that is just beginning to read the document must not be moved.
 */
export function hasBeenElsewhere(locationKey: string): boolean {
  first ??= locationKey;
  isFirst &&= first === locationKey;
  return !isFirst;
}

/** Always the object that there is at the moment, so that the tests of a file can keep it in a constant. */
export function alwaysCurrent<Kept extends object>(current: () => Kept | undefined): Kept {
  return new Proxy({} as Kept, {
    get(_target, name) {
      const kept = current();
      if (!kept) throw new Error('there is none outside a test');
      return Reflect.get(kept, name) as unknown;
    },
  });
}

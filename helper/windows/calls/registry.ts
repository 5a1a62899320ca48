/**
 * The machine's part of the registry (HKEY_LOCAL_MACHINE). Calls that fail for no expected reason throw `SystemError`.
 */
export interface Registry {
  /** The names of the keys in a key; undefined if there is none. */
  keys(path: string): string[] | undefined;
  /** Undefined if there is no such key or value, or if it is of another kind than these. */
  value(path: string, name: string): RegistryValue | undefined;
  /** Makes the key if there is none. */
  setValue(path: string, name: string, value: RegistryValue): void;
  deleteValue(path: string, name: string): 'deleted' | 'absent';
  /** With all that is in it. */
  deleteKey(path: string): 'deleted' | 'absent';
  /**
   * Calls back within a second after something in one of these keys, or below, has changed. One that does not exist is
   * watched once it does. Returns a function that ends the watch.
   */
  watch(paths: readonly string[], onChange: () => void): () => void;
}

export type RegistryValue =
  | { kind: 'text'; text: string }
  | { kind: 'texts'; texts: readonly string[] }
  | { kind: 'number'; number: number };

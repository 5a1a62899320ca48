import type { Registry, RegistryValue } from '../../../../../helper/windows/calls/registry.ts';

/** The keys of the registry with their values; a key is there if it has an entry. */
export type RegistryTree = Map<string, Map<string, RegistryValue>>;

/** Makes a key, and all those that it is in. */
export function makeKey(tree: RegistryTree, path: string): Map<string, RegistryValue> {
  const parts = path.split('\\');
  for (let length = 1; length <= parts.length; length += 1) {
    const key = parts.slice(0, length).join('\\');
    if (!tree.has(key)) tree.set(key, new Map());
  }
  return tree.get(path) ?? new Map<string, RegistryValue>();
}

export function registryOn(
  tree: RegistryTree,
  changed: (call: string) => void,
  watchers: Set<() => void>,
): Registry {
  return {
    keys: (path) =>
      tree.has(path)
        ? [...tree.keys()]
            .filter((key) => key.startsWith(`${path}\\`) && !key.slice(path.length + 1).includes('\\'))
            .map((key) => key.slice(path.length + 1))
        : undefined,
    value: (path, name) => tree.get(path)?.get(name),
    setValue(path, name, value) {
      makeKey(tree, path).set(name, value);
      changed('setValue');
    },
    deleteValue(path, name) {
      if (!tree.get(path)?.delete(name)) return 'absent';
      changed('deleteValue');
      return 'deleted';
    },
    deleteKey(path) {
      const gone = [...tree.keys()].filter((key) => key === path || key.startsWith(`${path}\\`));
      for (const key of gone) tree.delete(key);
      if (gone.length === 0) return 'absent';
      changed('deleteKey');
      return 'deleted';
    },
    watch(_paths, onChange) {
      watchers.add(onChange);
      return () => watchers.delete(onChange);
    },
  };
}

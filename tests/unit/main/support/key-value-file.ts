import type { KeyValueFile } from '../../../../src/main/preferences/settings.ts';

/** A file that is one object in memory; `broken` makes every method throw, as on a full or read-only disk. */
export interface TestFile extends KeyValueFile {
  readonly content: Map<string, unknown>;
  broken: boolean;
}

export function createTestFile(content: Record<string, unknown> = {}): TestFile {
  const map = new Map(Object.entries(content));
  const file: TestFile = {
    content: map,
    broken: false,
    get: (key) => guarded(() => map.get(key)),
    set: (key, value) => guarded(() => void map.set(key, value)),
    delete: (key) => guarded(() => void map.delete(key)),
    clear: () => guarded(() => map.clear()),
  };
  function guarded<Value>(action: () => Value): Value {
    if (file.broken) throw new Error('ENOSPC');
    return action();
  }
  return file;
}

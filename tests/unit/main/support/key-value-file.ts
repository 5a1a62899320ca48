import type { TextFile } from '../../../../src/main/preferences/route-lists.ts';
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

/** The same for a text. */
export interface TestTextFile extends TextFile {
  text: string | undefined;
  broken: boolean;
  /** How often it was read. */
  reads: number;
}

export function createTestTextFile(text?: string): TestTextFile {
  const guard = () => {
    if (file.broken) throw new Error('ENOSPC');
  };
  const file: TestTextFile = {
    text,
    broken: false,
    reads: 0,
    read() {
      guard();
      file.reads += 1;
      return file.text;
    },
    write(next) {
      guard();
      file.text = next;
    },
    remove() {
      guard();
      file.text = undefined;
    },
  };
  return file;
}

import type { BrowserStorage } from '../../../../src/renderer/platform/storage/browser-storage.ts';

/** A browser's storage, which may be full. */
export class MemoryStorage implements BrowserStorage {
  readonly entries = new Map<string, string>();
  full = false;
  get length() {
    return this.entries.size;
  }
  getItem = (key: string) => this.entries.get(key) ?? null;
  key = (index: number) => [...this.entries.keys()][index] ?? null;
  removeItem = (key: string) => void this.entries.delete(key);
  setItem = (key: string, value: string) => {
    if (this.full) throw new DOMException('full', 'QuotaExceededError');
    this.entries.set(key, value);
  };
}

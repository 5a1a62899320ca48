import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import type { Page } from 'playwright/test';
import { heapSnapshot } from './heap-snapshot.ts';

/**
 * Whether a text is anywhere in the memory of the page. Root reads all that belongs to the processes that draw this
 * worker's pages, which takes a twentieth of having V8 write its heap down: that is for other users.
 */
export async function memoryOf(page: Page): Promise<(text: string) => boolean> {
  if (process.getuid?.() === 0) return (text) => drawingProcesses().some((pid) => holds(pid, text));
  const heap = await heapSnapshot(page);
  return (text) => heap.includes(text);
}

/** Those that this process has started, over others. */
function drawingProcesses(): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const parent = /^PPid:\s(\d+)$/m.exec(readIfThere(`/proc/${name}/status`))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isOurs = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === process.pid || isOurs(parent));
  };
  return [...parents.keys()].filter(
    (pid) => readIfThere(`/proc/${pid}/cmdline`).includes('--type=renderer') && isOurs(pid),
  );
}

/** As a process leaves while it is looked at. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

const chunk = Buffer.alloc(1024 * 1024);

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch {
    return undefined;
  }
}

/** Looks through everything that a process may write, where texts have one or two bytes for a letter. */
function holds(pid: number, text: string): boolean {
  const needles = [Buffer.from(text, 'latin1'), Buffer.from(text, 'utf16le')];
  const overlap = 2 * text.length;
  const memory = openIfThere(`/proc/${pid}/mem`);
  if (memory === undefined) return false;
  try {
    for (const line of readIfThere(`/proc/${pid}/maps`).split('\n')) {
      const [, from = '', to = ''] = /^([\da-f]+)-([\da-f]+) rw/.exec(line) ?? [];
      const end = Number.parseInt(to, 16);
      for (let at = Number.parseInt(from, 16); at < end; at += chunk.length - overlap) {
        const read = readSome(memory, at, Math.min(chunk.length, end - at));
        if (needles.some((needle) => chunk.subarray(0, read).includes(needle))) return true;
      }
    }
  } finally {
    closeSync(memory);
  }
  return false;
}

/** Nothing of what the kernel shows to nobody, or was given back meanwhile. */
function readSome(memory: number, at: number, length: number): number {
  try {
    return readSync(memory, chunk, 0, length, at);
  } catch {
    return 0;
  }
}

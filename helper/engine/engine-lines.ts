import type { Readable } from 'node:stream';
import { onBoundedLine } from '../bounded-lines.ts';

/** Of what an engine says in one line, in characters: enough for every message of its own. */
const maxLine = 500;

/** How much is read in a second, in bytes; openconnect says some 3,000 in a whole connect. Who says more waits. */
const maxBytesPerSecond = 64 * 1024;

/** How many lines are logged in a second. */
const maxLoggedPerSecond = 50;

const windowMs = 1_000;

export interface LineReader {
  /** Every line, or its beginning. */
  onLine(line: string): void;
  /** As many of them as a log should have. */
  log(line: string): void;
  /** That some were not logged. */
  onUnlogged(count: number): void;
}

/**
 * Reads what a process says that somebody in the network may have taken over: neither the processor, the memory nor
 * the log is filled by it.
 */
export function readEngineLines(inputs: readonly Readable[], reader: LineReader): void {
  let begun = -Infinity;
  let [bytes, lines] = [0, 0];
  const beginWindow = () => {
    if (performance.now() - begun < windowMs) return;
    if (lines > maxLoggedPerSecond) reader.onUnlogged(lines - maxLoggedPerSecond);
    [begun, bytes, lines] = [performance.now(), 0, 0];
  };
  for (const input of inputs) {
    onBoundedLine(input, maxLine, (line) => {
      lines += 1;
      if (lines <= maxLoggedPerSecond) reader.log(line);
      reader.onLine(line);
    });
    input.prependListener('data', (chunk: string) => {
      beginWindow();
      bytes += chunk.length;
      if (bytes < maxBytesPerSecond) return;
      input.pause();
      setTimeout(() => input.resume(), windowMs).unref();
    });
  }
}

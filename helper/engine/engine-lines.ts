import type { Readable } from 'node:stream';
import { onBoundedLine } from '../bounded-lines.ts';

/** The maximum length of a logged line in characters; enough for every message of the engine itself. */
const maxLine = 500;

/** How many bytes are read per second; openconnect prints about 3,000 in a whole connect. More has to wait. */
const maxBytesPerSecond = 64 * 1024;

/** How many lines are logged per second. */
const maxLoggedPerSecond = 50;

const windowMs = 1_000;

export interface LineReader {
  /** Every line, possibly cut. */
  onLine(line: string): void;
  /** As many lines as a log should have. */
  log(line: string): void;
  /** Reports that lines were not logged. */
  onUnlogged(count: number): void;
}

/**
 * Reads the output of a process that somebody on the network may control, without letting it fill processor, memory or
 * log.
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

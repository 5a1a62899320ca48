import { createInterface, type Interface } from 'node:readline';
import { Writable, type Readable } from 'node:stream';

/** Standard streams, as the commands use them. */
export interface Terminal {
  /** A line of the result. */
  out(line: string): void;
  /** A line for whoever looks on: progress, questions, reasons. */
  note(line: string): void;
  /** The next line that is typed or piped; undefined when there is none any more. `isSecret`: it is not echoed. */
  ask(question: string, options?: { isSecret?: boolean }): Promise<string | undefined>;
  close(): void;
}

interface Streams {
  input: Readable & { isTTY?: boolean };
  output: Writable;
  notes: Writable;
}

/** What comes from servers could move the cursor, or turn the direction of what follows. */
export const printable = (text: string) =>
  text.replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '');

export function createTerminal({ input, output, notes }: Streams): Terminal {
  let isMuted = false;
  let lines: Interface | undefined;
  const read: string[] = [];
  let isEnded = false;
  let waiting: ((line: string | undefined) => void) | undefined;

  /** As soon as something is asked, and not before: a program that asks nothing leaves its input alone. */
  function open(): void {
    const echo = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (!isMuted) notes.write(chunk);
        done();
      },
    });
    lines = createInterface({ input, output: echo, terminal: input.isTTY === true });
    lines.on('line', (line) => {
      if (!waiting) read.push(line);
      else waiting(line);
      waiting = undefined;
    });
    lines.on('close', () => {
      isEnded = true;
      waiting?.(undefined);
      waiting = undefined;
    });
    // Of a terminal in raw mode, Ctrl-C is a key.
    lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  }

  return {
    out: (line) => void output.write(`${printable(line)}\n`),
    note: (line) => void notes.write(`${printable(line)}\n`),
    async ask(question, { isSecret = false } = {}) {
      if (!lines) open();
      notes.write(printable(question));
      const early = read.shift();
      if (early !== undefined || isEnded) return early;
      isMuted = isSecret;
      try {
        return await new Promise((resolve) => {
          waiting = resolve;
        });
      } finally {
        isMuted = false;
        if (isSecret && input.isTTY) notes.write('\n');
      }
    },
    close: () => lines?.close(),
  };
}

/** Wide characters of East Asia take two columns of a terminal. */
const wide = /[\p{Script=Han}\u3000-\u303f\uff00-\uff60]/gu;
export const widthOf = (text: string) => text.length + (text.match(wide)?.length ?? 0);

/** In one line, whatever was in it: a name with a line break would pass for two rows. */
export const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, ' ');

/** Columns with two spaces between them. */
export function tableLines(given: readonly (readonly string[])[]): string[] {
  const rows = given.map((row) => row.map(oneLine));
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => widthOf(row[column] ?? ''))),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
      .join('  ')
      .trimEnd(),
  );
}

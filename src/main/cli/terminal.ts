import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import stringWidth from 'string-width';
import { withoutUnseen } from '#shared/unseen-characters.ts';
import { typedLines, type LineSource, type Notes, type TypedInput } from './typed-lines.ts';

/** The standard streams, as commands use them. */
export interface Terminal {
  /** Whether somebody types; what is piped was written before anything was asked. */
  readonly isTyped: boolean;
  /** A line of the result. */
  out(line: string): void;
  /** A line for people: progress, questions, reasons. */
  note(line: string): void;
  /**
   * The next line that is typed or piped; undefined at the end of input, or once the question is withdrawn: the next
   * line is another question's then. `isSecret`: it is not echoed.
   */
  ask(question: string, options?: AskOptions): Promise<string | undefined>;
  close(): void;
}

interface AskOptions {
  isSecret?: boolean;
  /** Withdraws the question. */
  signal?: AbortSignal;
}

interface Streams {
  input: TypedInput & { isTTY?: boolean };
  output: Writable;
  notes: Notes;
  /** Where what is typed may be seen although it is not for the screen: what to say of that. */
  mayBeSeen?: (() => string) | undefined;
}

/** Text from servers could contain codes that move the cursor or change the text direction. */
const printable = (text: string) => withoutUnseen(text).replaceAll(/[^\P{Cc}\n\t]/gu, '');

export function createTerminal({ input, output, notes, mayBeSeen }: Streams): Terminal {
  const lines = input.isTTY === true ? typedLines(input, notes) : pipedLines(input, notes);
  /** Settles when nothing is being asked. */
  let asked: Promise<unknown> = Promise.resolve();
  /** Whether the last line is a question that nobody has answered yet. */
  let isInQuestion = false;
  let hasWarned = false;

  function endQuestion(): void {
    if (isInQuestion) notes.write('\n');
    isInQuestion = false;
  }

  async function ask(
    question: string,
    { isSecret = false, signal }: AskOptions,
  ): Promise<string | undefined> {
    if (signal?.aborted) return undefined;
    if (isSecret && !input.isTTY && !hasWarned && mayBeSeen) {
      hasWarned = true;
      write(notes, mayBeSeen());
    }
    isInQuestion = true;
    signal?.addEventListener('abort', endQuestion);
    try {
      const answer = await lines.next(printable(question), { isSecret, signal });
      // Whoever types sees that, too, unless it is hidden.
      if (answer !== undefined && !(isSecret && input.isTTY)) isInQuestion = false;
      return answer;
    } finally {
      signal?.removeEventListener('abort', endQuestion);
      endQuestion();
    }
  }

  function write(stream: Writable, line: string): void {
    endQuestion();
    stream.write(`${printable(line)}\n`);
  }

  return {
    isTyped: input.isTTY === true,
    out: (line) => write(output, line),
    note: (line) => write(notes, line),
    ask(question, options = {}) {
      // Two answers must not be taken for each other, nor one be echoed that is secret.
      const answered = asked.then(() => ask(question, options));
      asked = answered.catch(() => undefined);
      return answered;
    },
    close() {
      lines.close();
      // Of one that Ctrl-C has ended; the shell writes next.
      endQuestion();
    },
  };
}

/** Lines that are piped, which were written before anything was asked. */
function pipedLines(input: Readable, notes: Writable): LineSource {
  const read: string[] = [];
  let isFirst = true;
  let isEnded = false;
  let waiting: ((line: string | undefined) => void) | undefined;
  let close: (() => void) | undefined;

  /** Only once something is asked: a program that asks nothing must leave its input alone. */
  function open(): () => void {
    const lines = createInterface({ input, terminal: false });
    lines.on('line', (given) => {
      // Windows PowerShell begins what it pipes with a byte order mark.
      const line = isFirst ? given.replace(/^\ufeff/, '') : given;
      isFirst = false;
      if (waiting) waiting(line);
      else read.push(line);
    });
    lines.on('close', () => {
      isEnded = true;
      waiting?.(undefined);
    });
    return () => lines.close();
  }

  return {
    next(question, { signal }) {
      notes.write(question);
      close ??= open();
      const early = read.shift();
      if (early !== undefined || isEnded) return Promise.resolve(early);
      return new Promise((resolve) => {
        const withdraw = () => waiting?.(undefined);
        waiting = (line) => {
          waiting = undefined;
          signal?.removeEventListener('abort', withdraw);
          resolve(line);
        };
        signal?.addEventListener('abort', withdraw);
      });
    },
    close: () => close?.(),
  };
}

/**
 * On one line: a name with a line break would look like two rows. Letters with their marks are composed, and so are the
 * parts of Hangul syllables: some terminals give each part a column, as they do characters without a glyph.
 */
export const oneLine = (text: string): string => printable(text).normalize('NFC').replaceAll(/\s+/g, ' ');

/** Columns separated by two spaces. */
export function tableLines(given: readonly (readonly string[])[]): string[] {
  const rows = given.map((row) => row.map(oneLine));
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => stringWidth(row[column] ?? ''))),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - stringWidth(cell))))
      .join('  ')
      .trimEnd(),
  );
}

import { constants } from 'node:os';
import { createInterface, emitKeypressEvents, type Interface, type Key } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import stringWidth from 'string-width';

/** Answers, one line after the other. */
export interface LineSource {
  /**
   * Writes the question; the next line, or undefined at the end of input, or once the signal withdraws the question.
   * `isSecret`: it is not echoed.
   */
  next(question: string, options: NextOptions): Promise<string | undefined>;
  close(): void;
}

interface NextOptions {
  isSecret: boolean;
  signal: AbortSignal | undefined;
}

export type TypedInput = Readable & { setRawMode?: (isRaw: boolean) => unknown };

/** Where questions are written; `columns`: how wide it is, if it is a terminal. */
export type Notes = Writable & { columns?: number | undefined };

/** A key, and the text that it stands for, if any. */
interface Pressed {
  text: string | undefined;
  key: Key;
}

/** Somebody who types an answer. */
interface Answering {
  press(pressed: Pressed): void;
  /** From now on, what is typed is echoed, if it is to be. */
  show?(): void;
  close(): void;
}

type Answered = (line: string | undefined) => void;

/**
 * For the rest of a key's code, in milliseconds, as Node's own; over a slow line, it comes later than its first byte.
 */
const escapeCodeTimeout = 500;

/**
 * Lines that somebody types on a terminal. It is in raw mode from the first question on: what is typed before a
 * question is not echoed, and answers the next one, whatever that is. Each question has an editor of its own, so that
 * nothing that was typed or erased at one can come back at another; a secret one has none.
 */
export function typedLines(input: TypedInput, notes: Notes): LineSource {
  /** What was typed before anybody asked. */
  const ahead: Pressed[] = [];
  let answering: Answering | undefined;
  let state: 'closed' | 'open' | 'ended' = 'closed';
  let wasReturn = false;
  let onEnd: () => void = () => undefined;

  function pressed(text: string | undefined, key: Key): void {
    // Some who paste send both at the end of a line.
    const isSecondEnd = wasReturn && key.name === 'enter';
    wasReturn = key.name === 'return';
    if (isSecondEnd) return;
    // In raw mode, a terminal reports these as keys.
    if (key.ctrl === true && key.name === 'c') return void process.kill(process.pid, 'SIGINT');
    if (key.ctrl === true && key.name === 'z') return suspend();
    if (answering) answering.press({ text, key });
    else ahead.push({ text, key });
  }

  function suspend(): void {
    // Not every system knows how to suspend.
    if (!('SIGTSTP' in constants.signals)) return;
    input.setRawMode?.(false);
    process.kill(process.pid, 'SIGTSTP');
  }

  /** The shell has had the terminal meanwhile, and Node would change nothing that it takes to be so. */
  function resumed(): void {
    input.setRawMode?.(false);
    input.setRawMode?.(true);
  }

  const ended = () => {
    state = 'ended';
    onEnd();
  };

  /** Only once something is asked: a program that asks nothing must leave its input alone. */
  function open(): void {
    state = 'open';
    // All that Node reads of it.
    emitKeypressEvents(input, { escapeCodeTimeout } as unknown as Interface);
    input.setRawMode?.(true);
    input.on('keypress', pressed).once('end', ended).once('close', ended);
    input.resume();
    process.on('SIGCONT', resumed);
  }

  function close(): void {
    ended();
    process.off('SIGCONT', resumed);
    input.off('keypress', pressed).off('end', ended).off('close', ended);
    input.setRawMode?.(false);
    input.pause();
  }

  return {
    async next(question, { isSecret, signal }) {
      // Before anybody can answer: the terminal itself would echo that.
      if (state === 'closed') open();
      notes.write(question);
      if (state === 'ended') return undefined;
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      let isAnswered = false;
      const settle: Answered = (line) => {
        isAnswered = true;
        answering = undefined;
        resolve(line);
      };
      const answered: Answered = (line) => {
        // As at the end of a file.
        if (line === undefined) state = 'ended';
        settle(line);
      };
      // What has been typed so far is lost with it: the next question may be somebody else's.
      const withdraw = () => settle(undefined);
      signal?.addEventListener('abort', withdraw);
      onEnd = () => answered(undefined);
      const one = answerBy({ isSecret, question, notes, answered });
      answering = one;
      // What comes after the answer is for the next question.
      for (const early of ahead.splice(0)) {
        if (isAnswered) ahead.push(early);
        else one.press(early);
      }
      one.show?.();
      try {
        return await promise;
      } finally {
        onEnd = () => undefined;
        signal?.removeEventListener('abort', withdraw);
        one.close();
      }
    },
    close: () => {
      if (state !== 'closed') close();
    },
  };
}

interface Asked {
  isSecret: boolean;
  question: string;
  notes: Notes;
  answered: Answered;
}

function answerBy({ isSecret, question, notes, answered }: Asked): Answering {
  if (isSecret) return plainAnswer(answered, () => undefined);
  // Node's editor goes by this, too: it then neither erases nor moves, and takes the keys for a part of the answer.
  if (process.env['TERM'] === 'dumb') return plainAnswer(answered, (text) => void notes.write(text));
  return editedAnswer(question, notes, answered);
}

/**
 * Without an editor: its memory of what was erased, its undoing and its completion could show a secret, or keep it.
 * `echo` uses no codes.
 */
function plainAnswer(answered: Answered, echo: (text: string) => void): Answering {
  let characters: { text: string; isShown: boolean }[] = [];
  let isShown = false;

  function erase(count: number): void {
    for (const { text, isShown: isSeen } of characters.splice(-count))
      if (isSeen) echo('\b \b'.repeat(stringWidth(text)));
  }

  return {
    press({ text, key: { name, ctrl = false, meta = false } }) {
      if (meta) return;
      if (name === 'return' || name === 'enter') {
        if (isShown) echo('\r\n');
        answered(characters.map((one) => one.text).join(''));
      } else if (name === 'backspace') erase(1);
      else if (ctrl && name === 'u') erase(Infinity);
      else if (ctrl && name === 'd' && characters.length === 0) answered(undefined);
      else if (!ctrl && text !== undefined && /^\P{Cc}$/u.test(text)) {
        characters.push({ text, isShown });
        if (isShown) echo(text);
      }
    },
    show() {
      isShown = true;
    },
    close() {
      characters = [];
    },
  };
}

function editedAnswer(question: string, notes: Notes, answered: Answered): Answering {
  let isMuted = true;
  const echo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) notes.write(chunk);
      done();
    },
  });
  // Without it, the editor believes that no line is ever continued in the next row.
  Object.defineProperty(echo, 'columns', { get: () => notes.columns });
  // Keys come by `write`.
  const nobody = new Readable({ read: () => undefined });
  const editor = createInterface({
    input: nobody,
    output: echo,
    terminal: true,
    historySize: 0,
    prompt: question,
  });
  const { rows } = editor.getCursorPos();
  let isDone = false;
  const done: Answered = (line) => {
    if (isDone) return;
    isDone = true;
    answered(line);
  };
  editor.once('line', done);
  // By Ctrl-D.
  editor.once('close', () => done(undefined));
  return {
    press: ({ text, key }) => editor.write(text ?? '', key),
    show() {
      isMuted = false;
      // How far above the cursor the question begins; the editor has not written it.
      Object.assign(editor, { prevRows: rows });
    },
    close() {
      isDone = true;
      editor.close();
    },
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { pathToFileURL } from 'node:url';
import stringWidth from 'string-width';
import { afterEach, expect, test, vi } from 'vitest';
import { createTerminal, tableLines } from '../../../../src/main/cli/terminal.ts';

afterEach(() => vi.unstubAllEnvs());

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

test('prints nothing that moves the cursor, sets a title or turns the direction, wherever it comes from', async () => {
  const streams = { input: new PassThrough(), output: new PassThrough(), notes: new PassThrough() };
  const terminal = createTerminal(streams);
  const hostile = '\u001b[2J\u001b]0;owned\u0007\u009b31mOslo\r\u0008\u202egnp.exe\u2066';
  terminal.out(hostile);
  terminal.note(hostile);
  const asked = terminal.ask(`${hostile}: `);
  streams.input.end('typed\n');
  expect(await asked).toBe('typed');
  terminal.close();
  const written = `${String(streams.output.read())}${String(streams.notes.read())}`;
  expect(written.match(/Oslo/g)).toHaveLength(3);
  expect(written).not.toMatch(/[^\P{Cc}\n]|[\u202a-\u202e\u2066-\u2069]/u);
});

test('what is asked at once is asked one after the other', async () => {
  const streams = { input: new PassThrough(), output: new PassThrough(), notes: new PassThrough() };
  const terminal = createTerminal(streams);
  const answers = [
    terminal.ask('Code: '),
    terminal.ask('User name: '),
    terminal.ask('Password: ', { isSecret: true }),
  ];
  streams.input.write('one\n');
  expect(await answers[0]).toBe('one');
  streams.input.write('two\nthree\n');
  expect(await Promise.all(answers)).toEqual(['one', 'two', 'three']);
  terminal.close();
});

test('the next line answers the next question once one is withdrawn', async () => {
  const streams = { input: new PassThrough(), output: new PassThrough(), notes: new PassThrough() };
  const terminal = createTerminal(streams);
  const first = new AbortController();
  const withdrawn = [
    terminal.ask('Code: ', { signal: first.signal }),
    terminal.ask('Not even shown: ', { signal: first.signal }),
  ];
  const next = terminal.ask('Password: ');
  await vi.waitFor(() => expect(streams.notes.readableLength).toBeGreaterThan(0));
  first.abort();
  expect(await Promise.all(withdrawn)).toEqual([undefined, undefined]);
  streams.input.write('answer\n');
  expect(await next).toBe('answer');
  // The input has not ended with it.
  streams.input.write('more\n');
  expect(await terminal.ask('More: ')).toBe('more');
  expect(String(streams.notes.read())).toBe('Code: \nPassword: More: ');
  terminal.close();
});

// Windows PowerShell 5.1 begins what it pipes with one.
test('a byte order mark before what is piped is no part of it', async () => {
  const streams = { input: new PassThrough(), output: new PassThrough(), notes: new PassThrough() };
  const terminal = createTerminal(streams);
  streams.input.end('\ufeffsecret\r\n\ufeffinside\r\n');
  expect(await terminal.ask('Password: ', { isSecret: true })).toBe('secret');
  // Any other one has been written by somebody.
  expect(await terminal.ask('Password: ', { isSecret: true })).toBe('\ufeffinside');
  terminal.close();
});

/** A terminal on which somebody types, and what it shows. */
function typedTerminal({ columns }: { columns?: number } = {}) {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => input });
  const notes = Object.assign(new PassThrough(), columns === undefined ? {} : { columns });
  let shown = '';
  notes.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const terminal = createTerminal({ input, output: new PassThrough(), notes });
  const isAsked = (question: string) => vi.waitFor(() => expect(shown).toContain(question));
  return { terminal, input, isAsked, shown: () => shown };
}

// What terminals send for these keys.
const keys = {
  'the arrow up': '\u001b[A',
  'the arrow left': '\u001b[D',
  Backspace: '\u007f',
  'Ctrl-H': '\b',
  Tab: '\t',
  'Ctrl-A': '\u0001',
  'Ctrl-P': '\u0010',
  'Ctrl-R': '\u0012',
  'Ctrl-U': '\u0015',
  'Ctrl-W': '\u0017',
  'Ctrl-Y': '\u0019',
  'Ctrl-_': '\u001f',
  'Alt-Y': '\u001by',
  'Alt-Backspace': '\u001b\u007f',
} as const;
const typing = (...typed: string[]) =>
  typed.map((one) => (keys as Record<string, string>)[one] ?? one).join('');

test.each([
  [['wrong', 'Ctrl-U', 'Ctrl-Y', 'right'], 'right'],
  [['wrong', 'Ctrl-U', 'Ctrl-_', 'right'], 'right'],
  [['wrong', 'Ctrl-U', 'Ctrl-Y', 'Alt-Y', 'right'], 'right'],
  [['wro', 'Backspace', 'Ctrl-H', 'Backspace', 'Backspace', 'Ctrl-Y', 'right'], 'right'],
  [['rig', 'Tab', 'ht'], 'right'],
  [['right', 'the arrow left', 'the arrow up', '!'], 'right!'],
  [['right', 'Ctrl-A', 'Ctrl-W', 'Alt-Backspace', 'Ctrl-P', 'Ctrl-R', '!'], 'right!'],
  [['pä😀', 'Backspace', 'ß 密'], 'päß 密'],
])('at a hidden question, keys do nothing but erase: %j', async (typed, told) => {
  const { terminal, input, isAsked, shown } = typedTerminal();
  const password = terminal.ask('Password: ', { isSecret: true });
  await isAsked('Password: ');
  input.write(typing(...typed, '\r'));
  expect(await password).toBe(told);
  terminal.close();
  expect(shown()).toBe('Password: \n');
});

test('a key whose code comes in parts is one key all the same', async () => {
  const { terminal, input, isAsked } = typedTerminal();
  const password = terminal.ask('Password: ', { isSecret: true });
  await isAsked('Password: ');
  for (const part of ['right', '\u001b', '[', 'A', '!\r']) {
    input.write(part);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(await password).toBe('right!');
  terminal.close();
});

test.each(['Ctrl-Y', 'Ctrl-_', 'the arrow up', 'Ctrl-P'])(
  'what was erased at one question does not come back at the next one by %s',
  async (key) => {
    const { terminal, input, isAsked, shown } = typedTerminal();
    const name = terminal.ask('User name: ');
    await isAsked('User name: ');
    input.write(typing('by-mistake', 'Ctrl-U', 'guest', '\r'));
    expect(await name).toBe('guest');
    const before = shown().length;
    const domain = terminal.ask('Domain: ');
    await isAsked('Domain: ');
    input.write(typing(key, 'here', '\r'));
    expect(await domain).toBe('here');
    terminal.close();
    expect(shown().slice(before)).not.toContain('by-mistake');
  },
);

test('Ctrl-D ends the input where nothing has been typed, and nothing where something has', async () => {
  const { terminal, input, isAsked } = typedTerminal();
  const first = terminal.ask('Password: ', { isSecret: true });
  await isAsked('Password: ');
  input.write('right\u0004\r');
  expect(await first).toBe('right');
  const second = terminal.ask('Once more: ', { isSecret: true });
  await isAsked('Once more: ');
  input.write('\u0004');
  expect(await second).toBeUndefined();
  expect(await terminal.ask('User name: ')).toBeUndefined();
  terminal.close();
});

test.each([true, false])(
  'what is written after a question that nobody answered begins its own line (hidden: %s)',
  async (isSecret) => {
    const { terminal, input, isAsked, shown } = typedTerminal();
    const ended = terminal.ask('User name: ', { isSecret });
    await isAsked('User name: ');
    input.write('\u0004');
    expect(await ended).toBeUndefined();
    terminal.note('No user name was given.');
    terminal.close();
    expect(shown()).toBe('User name: \nNo user name was given.\n');
  },
);

// As Ctrl-C ends it; the shell writes next.
test.each([true, false])(
  'a terminal that is closed in a question has ended its line (hidden: %s)',
  async (isSecret) => {
    const { terminal, isAsked, shown } = typedTerminal();
    void terminal.ask('User name: ', { isSecret });
    await isAsked('User name: ');
    terminal.close();
    expect(shown()).toBe('User name: \n');
  },
);

test('what is written while somebody is asked begins its own line', async () => {
  const { terminal, input, isAsked, shown } = typedTerminal();
  const name = terminal.ask('User name: ');
  await isAsked('User name: ');
  terminal.note('Interrupted.');
  input.write('guest\r');
  expect(await name).toBe('guest');
  terminal.close();
  expect(shown()).toMatch(/^User name: \nInterrupted\.\nguest\r?\n$/);
});

// Git Bash's window gives programs of Windows a pipe, and shows what is typed all the same.
test('where a window may show what is typed, that is said before the first hidden question', async () => {
  const streams = { input: new PassThrough(), output: new PassThrough(), notes: new PassThrough() };
  const terminal = createTerminal({ ...streams, mayBeSeen: () => 'It may be seen.' });
  streams.input.end('guest\nsecret\nagain\n');
  for (const isSecret of [false, true, true]) await terminal.ask('> ', { isSecret });
  terminal.close();
  expect(String(streams.notes.read())).toBe('> It may be seen.\n> > ');
});

/** What a terminal with this many columns shows at the end, row by row (ECMA-48, as far as it is used here). */
function screenOf(text: string, columns: number): string[] {
  const rows: string[][] = [[]];
  let [row, column] = [0, 0];
  const rowAt = (index: number) => (rows[index] ??= []);
  // oxlint-disable-next-line no-control-regex -- codes are what this reads
  for (const [part, count, end] of text.matchAll(/\u001b\[(\d*)([A-Z])|./gsu)) {
    const by = Number(count === undefined || count === '' ? 1 : count);
    if (end === 'A') row = Math.max(0, row - by);
    else if (end === 'G') column = by - 1;
    else if (end === 'J') {
      rowAt(row).length = Math.min(rowAt(row).length, column);
      rows.length = row + 1;
    } else if (part === '\r') column = 0;
    else if (part === '\n') row += 1;
    else if (part === '\b') column -= 1;
    else {
      if (column === columns) [row, column] = [row + 1, 0];
      rowAt(row)[column] = part;
      if (stringWidth(part) === 2) rowAt(row)[column + 1] = '';
      column += stringWidth(part);
    }
  }
  return Array.from(rows, (cells) =>
    Array.from(cells, (cell) => cell)
      .join('')
      .trimEnd(),
  );
}

test.each([
  ['User name: ', ['User name: somebody-w', 'ith-a-long-name']],
  ['User name of the company: ', ['User name of the comp', 'any: somebody-with-a-', 'long-name']],
])('an answer that is longer than a row is shown once, whatever is erased: %s', async (question, rows) => {
  const columns = 21;
  const { terminal, input, isAsked, shown } = typedTerminal({ columns });
  const name = terminal.ask(question);
  await isAsked(question);
  input.write(typing('somebody-with-a-long-nam', 'Backspace', 'Backspace', 'ame', '\r'));
  expect(await name).toBe('somebody-with-a-long-name');
  terminal.close();
  expect(screenOf(shown(), columns)).toEqual(rows);
});

test.each([
  [['wrong', 'Ctrl-U', 'right'], 'right'],
  [['rih', 'Backspace', 'ght'], 'right'],
  [['rig密', 'Ctrl-H', 'ht', 'the arrow left', 'Tab', '!'], 'right!'],
])('on a terminal that knows no codes, keys erase, too: %j', async (typed, told) => {
  vi.stubEnv('TERM', 'dumb');
  const { terminal, input, isAsked, shown } = typedTerminal();
  const name = terminal.ask('User name: ');
  await isAsked('User name: ');
  input.write(typing(...typed, '\r'));
  expect(await name).toBe(told);
  terminal.close();
  expect(shown()).not.toContain('\u001b');
  expect(screenOf(shown(), 80)).toEqual([`User name: ${told}`]);
});

test('what is typed ahead answers the next question, and is not shown, whoever asks', async () => {
  const { terminal, input, isAsked, shown } = typedTerminal();
  const name = terminal.ask('User name: ');
  await isAsked('User name: ');
  input.write('guest\r\nnot-for-others\r');
  expect(await name).toBe('guest');
  expect(await terminal.ask('Domain: ')).toBe('not-for-others');
  terminal.close();
  expect(shown(), 'positive control').toContain('guest');
  expect(shown()).not.toContain('not-for-others');
});

test.each([true, false])(
  'what was typed at a question that is withdrawn is no part of the next answer (hidden: %s)',
  async (isSecret) => {
    const { terminal, input, isAsked, shown } = typedTerminal();
    const first = new AbortController();
    const withdrawn = terminal.ask('Code: ', { isSecret, signal: first.signal });
    await isAsked('Code: ');
    input.write('1234');
    await vi.waitFor(() => expect(input.readableLength + input.writableLength).toBe(0));
    first.abort();
    expect(await withdrawn).toBeUndefined();
    const next = terminal.ask('Password: ', { isSecret: true });
    await isAsked('\nPassword: ');
    input.write('secret\r');
    expect(await next).toBe('secret');
    expect(shown()).toBe(isSecret ? 'Code: \nPassword: \n' : 'Code: 1234\nPassword: \n');
    terminal.close();
  },
);

test('a terminal that is gone ends the question', async () => {
  const { terminal, input, isAsked } = typedTerminal();
  const password = terminal.ask('Password: ', { isSecret: true });
  await isAsked('Password: ');
  input.end('half of it');
  expect(await password).toBeUndefined();
  terminal.close();
});

test.each(['the arrow up', 'Ctrl-P'])(
  'what was answered without an echo does not come back by %s',
  async (key) => {
    const { terminal, input, isAsked, shown } = typedTerminal();
    const password = terminal.ask('Password: ', { isSecret: true });
    input.write('not-for-others\r');
    expect(await password).toBe('not-for-others');
    const name = terminal.ask('User name: ');
    // What is typed earlier is not echoed in any case.
    await isAsked('User name: ');
    input.write(typing(key, 'guest', '\r'));
    expect(await name).toBe('guest');
    terminal.close();
    expect(shown(), 'positive control').toContain('guest');
    expect(shown()).not.toContain('not-for-others');
  },
);

// As whoever pastes both does.
test.skipIf(process.platform !== 'linux')(
  'a password that is entered at once with the user name is not shown on a terminal',
  async () => {
    const terminalModule = pathToFileURL(path.resolve('src/main/cli/terminal.ts')).href;
    const program = `
      const { createTerminal } = await import(${JSON.stringify(terminalModule)});
      const { stdin: input, stdout: output, stderr: notes } = process;
      const terminal = createTerminal({ input, output, notes });
      const name = await terminal.ask('User name: ');
      const password = await terminal.ask('Password: ', { isSecret: true });
      terminal.close();
      console.log('told ' + name + ' ' + password.length);`;
    const command = ['exec', quoted(process.execPath), '--input-type=module', '-e', quoted(program)].join(
      ' ',
    );
    // A pseudo-terminal (util-linux).
    const child = spawn('script', ['--quiet', '--flush', '--command', command, '/dev/null']);
    let shown = '';
    let isTyped = false;
    child.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      if (!shown.includes('User name: ') || isTyped) return;
      isTyped = true;
      child.stdin.write('guest\rnot-for-others\r');
    });
    await once(child, 'close');
    expect(shown).toContain('told guest 14');
    expect(shown.split('told')[0], 'positive control').toContain('guest');
    expect(shown).not.toContain('not-for-others');
  },
);

test('a name with a line break stays one row', () => {
  expect(
    tableLines([
      ['NAME', 'ID'],
      ['Oslo\n* Home', 'osl'],
    ]),
  ).toEqual(['NAME         ID', 'Oslo * Home  osl']);
});

test.each([
  ['flags', '🇹🇼 台北', 7],
  ['Kana whose sound marks are apart', 'ト\u3099イツ', 6],
  ['narrow Kana', 'ﾄﾞｲﾂ', 4],
  ['Hangul in parts', '\u1109\u1165\u110b\u116e\u11af', 4],
  ['a family', '👨‍👩‍👧‍👦 home', 7],
  ['letters whose marks are apart', 'Zu\u0308rich, Ko\u0308ln', 12],
  ['a character with a style', '❤️', 2],
  ['characters without a glyph', '\u200bO\u00ads\u2060l\u200eo\ufeff\u3164', 4],
])('%s line up', (_what, name, columns) => {
  const [head, row] = tableLines([
    ['NAME', 'ID'],
    [name, 'x'],
    ['longer than that', 'y'],
  ]);
  expect(head).toBe(`NAME${' '.repeat(14)}ID`);
  const written = row?.slice(0, -'x'.length) ?? '';
  expect(written.length - written.trimEnd().length).toBe(18 - columns);
  // Nothing is left that one terminal gives a column and another does not.
  expect(written).toBe(written.normalize('NFC'));
  expect(written).not.toMatch(/[\u00ad\u200b\u3164\ufeff]/);
});

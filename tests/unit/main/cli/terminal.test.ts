import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { createTerminal, tableLines } from '../../../../src/main/cli/terminal.ts';

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

test('a name with a line break stays one row', () => {
  expect(
    tableLines([
      ['NAME', 'ID'],
      ['Oslo\n* Home', 'osl'],
    ]),
  ).toEqual(['NAME         ID', 'Oslo * Home  osl']);
});

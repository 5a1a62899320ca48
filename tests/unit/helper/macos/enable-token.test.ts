import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createEnableToken } from '../../../../helper/macos/filter/enable-token.ts';
import { eventually, exec } from '../../../lab/runs/process.ts';

let directory = '';
let file = '';
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'waymaker-token-'));
  file = path.join(directory, 'token');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** A pfctl that says this. */
const saying = (text: string) => (output: number) => {
  writeSync(output, text);
  return Promise.resolve();
};

test('the token is kept for the next helper, which nobody else can read, and removed', async () => {
  const token = createEnableToken(file);
  expect(token.read()).toBeUndefined();
  await token.take(saying('pf enabled\nToken : 10051342025653898869\n'));
  expect(createEnableToken(file).read()).toBe('10051342025653898869');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await token.take(saying('Token : 7\n'));
  expect(token.read()).toBe('7');
  token.remove();
  token.remove();
  expect(token.read()).toBeUndefined();
});

test('without a token, the filter does not count as switched on', async () => {
  await expect(createEnableToken(file).take(saying('pf enabled\n'))).rejects.toThrow('no token');
});

test('the token is written to no other file', async () => {
  const other = path.join(directory, 'other');
  writeFileSync(other, 'as it was');
  symlinkSync(other, file);
  await expect(createEnableToken(file).take(saying('Token : 7\n'))).rejects.toThrow('ELOOP');
});

test.each(['', 'x', '7', 'Token : -1', 'Token : 1 2', `Token : ${'1'.repeat(30)}`])(
  'a file with %j instead of a token counts as no token',
  (content) => {
    writeFileSync(file, content);
    expect(createEnableToken(file).read()).toBeUndefined();
  },
);

test('the token is kept also if the helper is killed before pfctl has said it', async () => {
  const root = path.resolve(import.meta.dirname, '../../../..');
  // It says it once its helper is gone.
  const pfctl = 'while kill -0 "$0"; do sleep 0.05; done; echo "Token : 42" >&2';
  const helper = `
    import { createEnableToken } from '${root}/helper/macos/filter/enable-token.ts';
    import { runCommandInto } from '${root}/helper/posix/command.ts';
    await createEnableToken(process.argv[1]).take((output) => {
      const ended = runCommandInto('sh', ['-c', process.argv[2], String(process.pid)], output);
      process.kill(process.pid, 'SIGKILL');
      return ended;
    });`;
  const { code } = await exec([process.execPath, '--input-type=module', '--eval', helper, file, pfctl]);
  expect(code).not.toBe(0);
  expect(await eventually('the token is kept', () => createEnableToken(file).read())).toBe('42');
});

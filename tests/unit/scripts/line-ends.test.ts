import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');

/** A file as git for Windows writes it: its installer, and so GitHub's runners, have it write other ends of lines. */
const onWindows = (file: string) =>
  execFileSync('git', ['-C', root, '-c', 'core.autocrlf=true', 'cat-file', '--filters', `:${file}`], {
    encoding: 'utf8',
  });

test.each(['README.md', 'package-lock.json', 'resources/macos/installer/postinstall'])(
  'a clone on Windows has %s as everybody else (openai-agents-js 1721, actions/checkout 135)',
  (file) => {
    expect(onWindows(file)).not.toContain('\r');
  },
);

test('what Windows’ command interpreter reads has the ends of lines of Windows', () => {
  expect(onWindows('resources/windows/waymaker.cmd').split('\r\n')).toHaveLength(2);
});

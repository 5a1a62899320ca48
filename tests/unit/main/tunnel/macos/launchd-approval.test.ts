import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createRunProgram, type RunProgram } from '../../../../../src/main/run-program.ts';
import { isWaitingForApproval } from '../../../../../src/main/tunnel/macos/launchd-approval.ts';

/** launchctl(1), which does not run here, as a real program that ends like it. */
function launchctlEnding(lines: string): { run: RunProgram; folder: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-launchctl-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = path.join(folder, 'launchctl');
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$*" = 'print system/example.waymaker.helper' ] || exit 64\n${lines}\n`,
  );
  chmodSync(program, 0o755);
  const run = createRunProgram();
  return { run: (_, args) => run(program, args), folder };
}

const notFound = `echo 'Bad request.' >&2
echo 'Could not find service "example.waymaker.helper" in domain for system' >&2
exit 113`;

const ask = ({ run, folder }: ReturnType<typeof launchctlEnding>, isInstalled = true) => {
  const file = path.join(folder, 'example.waymaker.helper.plist');
  if (isInstalled) writeFileSync(file, '');
  return isWaitingForApproval(run, file);
};

test('a helper that is installed and that launchd has not loaded waits for approval', async () => {
  expect(await ask(launchctlEnding(notFound))).toBe(true);
});

test('a helper that launchd has loaded does not wait for approval, whether or not it runs', async () => {
  expect(await ask(launchctlEnding("echo 'state = not running'; echo 'last exit code = 1'"))).toBe(false);
});

test('a helper that is not installed does not wait for approval', async () => {
  expect(await ask(launchctlEnding(notFound), false)).toBe(false);
});

test('where launchd cannot be asked, nothing is claimed', async () => {
  expect(await ask(launchctlEnding('exit 1'))).toBe(false);
  expect(await ask(launchctlEnding('kill -9 $$'))).toBe(false);
  const { folder } = launchctlEnding(notFound);
  expect(await ask({ run: () => Promise.resolve(undefined), folder })).toBe(false);
});

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { otherHelperMs } from '../../../../helper/system/only-helper.ts';

const unit = path.join(import.meta.dirname, '../../../../resources/linux/waymaker-helper.service');

/**
 * Runs what the unit runs before the helper, as systemd reads it (systemd.service(5), "Command lines"), in a folder.
 */
async function prepareGroups(folder: string): Promise<void> {
  const line = /^ExecStartPre=-\+(.*)$/m.exec(await readFile(unit, 'utf8'))?.[1] ?? '';
  const [, program = '', script = ''] = /^(\S+) -c '(.*)'$/.exec(line) ?? [];
  const asRun = script.replaceAll('$$', '$').replaceAll('/sys/fs/cgroup', folder);
  if (program !== '') execFileSync(program, ['-c', asRun]);
  else execFileSync('sh', ['-c', line.replaceAll('/sys/fs/cgroup', folder)]);
}

test.runIf(process.platform === 'linux')(
  'the helper’s control group is made where those of version 2 are, beside others, too',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-cgroup-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await prepareGroups(folder);
    expect(existsSync(path.join(folder, 'waymaker')), 'positive control').toBe(true);
    await prepareGroups(folder);
    // systemd's hybrid hierarchy, the default of systemd 245 (Ubuntu 20.04), has them in a folder of their own.
    const hybrid = path.join(folder, 'hybrid');
    await mkdir(path.join(hybrid, 'unified'), { recursive: true });
    await prepareGroups(hybrid);
    expect(existsSync(path.join(hybrid, 'unified/waymaker'))).toBe(true);
    expect(existsSync(path.join(hybrid, 'waymaker'))).toBe(false);
  },
);

/** In milliseconds; undefined if that is the system's to say, as in system.conf. */
async function timeOf(setting: string): Promise<number | undefined> {
  const seconds = new RegExp(`^${setting}=(\\d+)$`, 'm').exec(await readFile(unit, 'utf8'))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

test('whatever the system’s usual limit is, a helper that waits for another one, and then undoes what that left, is not ended', async () => {
  expect(await timeOf('TimeoutStartSec')).toBeGreaterThanOrEqual(otherHelperMs + 30_000);
});

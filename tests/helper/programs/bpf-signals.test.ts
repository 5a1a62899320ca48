import path from 'node:path';
import { expect, test } from 'vitest';
import { exec } from '../../lab/runs/process.ts';

test('a program for a group is loaded although the helper gets a signal meanwhile', async () => {
  // As when a child of it ends: the kernel then stops verifying the program, with EAGAIN.
  const script = path.join(import.meta.dirname, '../support/programs/load-under-signals.ts');
  const { code, stdout, stderr } = await exec([process.execPath, script]);
  expect([code, stdout], stderr).toEqual([0, 'all were loaded\n']);
});

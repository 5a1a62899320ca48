import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { createWindows, whyNoWindows, type Windows } from '../../lab/windows/windows.ts';

/** `waymaker restore` under wine, beside the service; what it undoes is checked on the model (`restore.test.ts`). */

/** As it is installed: the command line and the helper in folders of their own. */
async function install(windows: Windows): Promise<void> {
  await windows.bring(programFile('helper/index.ts'), 'helper/helper.mjs');
  await windows.bring(programFile('helper/windows/set-up-service.ts'), 'helper/set-up-service.mjs');
  await windows.bring(programFile('src/main/cli/index.ts'), 'main/cli.js');
  const { code } = await windows.node('helper/set-up-service.mjs', ['install']);
  expect(code).toBe(0);
}

const state = async (windows: Windows) =>
  /STATE\s+: \d+\s+(\w+)/.exec((await windows.run(['sc', 'query', 'Waymaker'])).output)?.[1];

async function restore(windows: Windows, ...words: readonly string[]) {
  const { code, output } = await windows.node('main/cli.js', ['restore', '--json', ...words]);
  // What it says to people goes elsewhere than its answer, but to the same file here.
  const answer = output
    .split('\n')
    .find((line) => line.startsWith('{"restored"') || line.startsWith('{"error"'));
  return { code, answer: JSON.parse(answer ?? 'null') as unknown, output };
}

test.skipIf(whyNoWindows() !== undefined)(
  'restore leaves a service alone that runs, stops it if it is to, and keeps in the journal what it cannot undo',
  async () => {
    await using windows = await createWindows();
    await install(windows);
    await windows.run(['sc', 'start', 'Waymaker']);
    await eventually('the service runs', async () => (await state(windows)) === 'RUNNING' || undefined);
    const refused = await restore(windows);
    expect(refused.answer).toMatchObject({ error: { code: 'helper-running' } });
    expect(refused.code).toBe(1);
    expect(await state(windows)).toBe('RUNNING');

    const forced = await restore(windows, '--force');
    expect(forced).toMatchObject({ answer: { restored: true }, code: 0 });
    expect(await state(windows)).toBe('STOPPED');
    // It says so just before it ends.
    await expect.poll(() => windows.processes('helper.mjs')).toEqual([]);

    expect(await restore(windows)).toMatchObject({ answer: { restored: true }, code: 0 });

    // Wine has no filters and routes, so that nothing can be undone there.
    const journal = path.join(windows.drive, 'ProgramData/Waymaker/journal.json');
    const entry = JSON.stringify({ version: 2, connection: null, steps: [{ kind: 'device' }] });
    await writeFile(journal, entry);
    const failed = await restore(windows);
    expect(failed.answer).toMatchObject({ error: { code: 'not-restored' } });
    expect(failed.code).toBe(1);
    expect(JSON.parse(await readFile(journal, 'utf8'))).toMatchObject({
      steps: expect.arrayContaining([{ kind: 'device' }]) as unknown,
    });
  },
);

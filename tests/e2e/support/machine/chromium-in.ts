import { chmod, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Machine } from '../../../lab/machine/machine.ts';
import { headlessExecutable } from '../../../stand-in/chromium.ts';

/** A program in `directory` that starts Chromium on a machine of the laboratory: Playwright starts one program. */
export async function chromiumIn(
  machine: Machine,
  directory: string,
  executable = headlessExecutable,
): Promise<string> {
  const script = path.join(directory, 'chromium-on-user-machine');
  const quoted = machine
    .command([executable])
    .flat()
    .map((word) => `'${word}'`);
  await writeFile(script, `#!/bin/sh\nexec ${quoted.join(' ')} "$@"\n`);
  await chmod(script, 0o755);
  return script;
}

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { processStartTime } from './process.ts';

/**
 * A new temporary directory of this process, which has to remove it. A run that is killed does not: so the name says
 * whose it is, and those are removed whose process has ended.
 */
export function makeOwnedDirectory(subject: string): string {
  const all = tmpdir();
  for (const name of readdirSync(all)) {
    const [, owner, pid = '', startTime] = /^waymaker-(.+)-(\d+)-(\d+)-\w{6}$/.exec(name) ?? [];
    if (owner !== subject || processStartTime(Number(pid)) === startTime) continue;
    // Another run may remove it at the same time.
    rmSync(path.join(all, name), { recursive: true, force: true, maxRetries: 5 });
  }
  const own = `${process.pid}-${processStartTime(process.pid)}`;
  return mkdtempSync(path.join(all, `waymaker-${subject}-${own}-`));
}

import { watch } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../../lab/runs/process.ts';
import type { Gateway } from '../../../lab/gateway/gateway.ts';

/**
 * Has the gateway refuse whoever signs in, until disposed of. The service writes the file again every minute, with the
 * passwords that are right.
 */
export async function refuseSignIns({ passwordFile }: Gateway): Promise<Disposable> {
  const hash = (await run(['openssl', 'passwd', '-5', '-stdin'], { input: 'another' })).trim();
  const refuse = async () => {
    const content = await readFile(passwordFile, 'utf8');
    const lines = content.split('\n').filter(Boolean);
    const changed = lines.map((line) => `${line.split(':').slice(0, 2).join(':')}:${hash}\n`).join('');
    if (changed !== content) await writeFile(passwordFile, changed);
  };
  await refuse();
  const watcher = watch(path.dirname(passwordFile), () => void refuse());
  return { [Symbol.dispose]: () => watcher.close() };
}

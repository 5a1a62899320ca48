import { writeFile } from 'node:fs/promises';
import type { Gateway } from '../../lab/gateway.ts';
import { run } from '../../lab/process.ts';

/** From now on the gateway knows another password for every device. */
export async function refuseSignIns({ passwordFile }: Gateway): Promise<void> {
  const lines = (await run(['cat', passwordFile])).split('\n').filter(Boolean);
  const hash = (await run(['openssl', 'passwd', '-5', '-stdin'], { input: 'another' })).trim();
  const changed = lines.map((line) => `${line.split(':').slice(0, 2).join(':')}:${hash}\n`);
  await writeFile(passwordFile, changed.join(''));
}

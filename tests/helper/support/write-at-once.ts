import { writeFile } from 'node:fs/promises';
import type { HelperLab } from './helper-lab.ts';

/**
 * Writes a file while the helper stands still: it would find what is between the cut and the writing, if that took
 * long.
 */
export async function writeAtOnce(net: HelperLab, file: string, text: string): Promise<void> {
  process.kill(net.pid(), 'SIGSTOP');
  try {
    await writeFile(file, text);
  } finally {
    process.kill(net.pid(), 'SIGCONT');
  }
}

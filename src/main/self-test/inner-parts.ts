import { innerWords } from './inner-words.ts';
import { runGuard } from './here/guard.ts';
import { serveAsChild } from './here/served-child.ts';
import type { SelfTestSystem } from './self-test.ts';

/** Runs the part of a self-test that the first argument names; false if it names none. */
export async function runInnerPart(
  [word, given = '']: readonly string[],
  system: SelfTestSystem | undefined,
  version: string,
): Promise<boolean> {
  if (!system) return false;
  if (word === innerWords.inside) await system.apart?.inside(given);
  else if (word === innerWords.guard) await runGuard(given, system.here);
  else if (word === innerWords.served) await serveAsChild(given, { version, here: system.here });
  else return false;
  return true;
}

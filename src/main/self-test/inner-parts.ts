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
  switch (word) {
    case innerWords.inside:
      await system.apart?.inside(given);
      return true;
    case innerWords.guard:
      await runGuard(given, system.here);
      return true;
    case innerWords.served:
      await serveAsChild(given, { version, here: system.here });
      return true;
    default:
      return false;
  }
}

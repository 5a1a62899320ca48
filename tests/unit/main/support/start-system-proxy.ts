import type { RunProgram } from '../../../../src/main/run-program.ts';
import { createSettings } from '../../../../src/main/preferences/settings.ts';
import { createSystemProxy, type SystemProxy } from '../../../../src/main/system-proxy/system-proxy.ts';
import { createTestFile, type TestFile } from './key-value-file.ts';
import { createTestLog } from './log.ts';

/** One start of the app, as far as the desktop's proxy goes. */
export function startSystemProxy(
  desktop: string,
  run: RunProgram,
  file: TestFile = createTestFile(),
): SystemProxy & { logged(): string } {
  const { log, text } = createTestLog();
  const settings = createSettings(file);
  const proxy = createSystemProxy({ settings, run, env: { XDG_CURRENT_DESKTOP: desktop }, log });
  return { ...proxy, logged: text };
}

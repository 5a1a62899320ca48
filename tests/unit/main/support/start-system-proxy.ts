import type { RunProgram } from '../../../../src/main/run-program.ts';
import { createSettings, type KeyValueFile } from '../../../../src/main/preferences/settings.ts';
import { createSystemProxy, type SystemProxy } from '../../../../src/main/system-proxy/system-proxy.ts';
import { createTestFile } from './key-value-file.ts';
import { createTestLog } from './log.ts';

/** One start of the app, as far as the desktop's proxy goes. */
export function startSystemProxy(
  desktop: string,
  run: RunProgram,
  file: KeyValueFile = createTestFile(),
): SystemProxy & { logged(): string } {
  const { log, text } = createTestLog();
  const settings = createSettings(file);
  const proxy = createSystemProxy({ settings, run, env: { XDG_CURRENT_DESKTOP: desktop }, log });
  return { ...proxy, logged: text };
}

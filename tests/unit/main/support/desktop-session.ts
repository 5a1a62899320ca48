import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRunProgram, type RunProgram } from '../../../../src/main/run-program.ts';
import { createSettings } from '../../../../src/main/settings.ts';
import { createSystemProxy, type SystemProxy } from '../../../../src/main/system-proxy.ts';
import { startMessageBus } from '../../../lab/message-bus.ts';
import { run as runOnMachine } from '../../../lab/process.ts';
import { createTestFile, type TestFile } from './key-value-file.ts';
import { createTestLog } from './log.ts';

/** A user's desktop session with a message bus, whose settings are in a folder of their own. */
export interface DesktopSession extends AsyncDisposable {
  readonly directory: string;
  /** As the app runs programs, in this session. */
  readonly run: RunProgram;
  /** Runs a program that must succeed, as the user would in a terminal. */
  user(...argv: string[]): Promise<string>;
}

export async function startDesktopSession(extraEnv: Record<string, string> = {}): Promise<DesktopSession> {
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-desktop-'));
  const bus = await startMessageBus(directory, {
    XDG_CONFIG_HOME: path.join(directory, 'config'),
    // Where Debian's session would set it, the machine's own settings must not come in.
    XDG_CONFIG_DIRS: path.join(directory, 'etc-xdg'),
    DCONF_PROFILE: path.join(directory, 'dconf-profile'),
    ...extraEnv,
  });
  await writeFile(path.join(directory, 'dconf-profile'), 'user-db:user\n');
  const run = createRunProgram();
  return {
    directory,
    run: (name, args, env) => run(name, args, { ...bus.env, ...env }),
    user: (...argv) => runOnMachine(argv, { env: bus.env }),
    async [Symbol.asyncDispose]() {
      await bus[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

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

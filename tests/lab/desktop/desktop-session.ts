import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRunProgram, type RunProgram } from '../../../src/main/run-program.ts';
import { startMessageBus } from './message-bus.ts';
import { run as runOnMachine } from '../runs/process.ts';
import { waitLimit } from '../runs/wait-limit.ts';

/** A user's desktop session with a message bus, whose settings are in a separate folder. */
export interface DesktopSession extends AsyncDisposable {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /** Runs programs like the app, in this session. */
  readonly run: RunProgram;
  /** Runs a program that must succeed, as the user would in a terminal. */
  user(...argv: string[]): Promise<string>;
}

export async function startDesktopSession(): Promise<DesktopSession> {
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-desktop-'));
  const bus = await startMessageBus(directory, {
    XDG_CONFIG_HOME: path.join(directory, '.config'),
    // Without the machine's own settings.
    XDG_CONFIG_DIRS: path.join(directory, 'etc-xdg'),
    DCONF_PROFILE: path.join(directory, 'dconf-profile'),
  });
  await writeFile(path.join(directory, 'dconf-profile'), 'user-db:user\n');
  const run = createRunProgram({ timeLimitMs: waitLimit(20_000) });
  return {
    directory,
    env: bus.env,
    run: (name, args, env) => run(name, args, { ...bus.env, ...env }),
    user: (...argv) => runOnMachine(argv, { env: bus.env }),
    async [Symbol.asyncDispose]() {
      await bus[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { RunProgram } from '../../../src/main/run-program.ts';
import { exec, run as runOnMachine } from '../runs/process.ts';
import { startMessageBus } from './message-bus.ts';

/** A user's desktop session with a message bus, whose settings are in a separate folder. */
export interface DesktopSession extends AsyncDisposable {
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  /**
   * Runs programs in this session, with the outcomes that the app knows: by the launcher, since these are hundreds, and
   * each that a test's process starts by itself costs as much as three of them.
   */
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
  const run: RunProgram = async (name, args, env) => {
    const options = { env: { ...bus.env, ...env }, timeout: 20_000 };
    const ended = await exec([name, ...args], options).catch((error: unknown) => {
      if (String(error).includes('No such file or directory')) return undefined;
      throw error;
    });
    if (ended && ended.code !== 0) throw new Error(`${name} failed: ${ended.stderr.trim()}`);
    return ended?.stdout.replace(/\n$/, '');
  };
  return {
    directory,
    env: bus.env,
    run,
    user: (...argv) => runOnMachine(argv, { env: bus.env }),
    async [Symbol.asyncDispose]() {
      await bus[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

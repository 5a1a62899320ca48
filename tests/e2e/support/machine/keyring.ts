import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { hasOwner, startMessageBus } from '../../../lab/desktop/message-bus.ts';
import { endProcess, eventually, exec } from '../../../lab/runs/process.ts';

/** A real gnome-keyring on a message bus of its own. */
export interface Keyring extends AsyncDisposable {
  /** What an app needs to find it. */
  readonly env: { DBUS_SESSION_BUS_ADDRESS: string };
  /** The secrets stored for the app, as any program of the user's session could read them. */
  secrets(): Promise<string[]>;
}

export async function startKeyring(directory: string): Promise<Keyring> {
  const bus = await startMessageBus(directory, { XDG_DATA_HOME: directory, XDG_CACHE_HOME: directory });
  const daemon: ChildProcess = spawn(
    'gnome-keyring-daemon',
    ['--foreground', '--unlock', '--components=secrets'],
    { env: { ...process.env, ...bus.env }, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  // The password of the login keyring, which it makes now.
  daemon.stdin?.end('\n');
  await eventually(
    'the keyring answers',
    async () => (await hasOwner(bus.env, 'org.freedesktop.secrets')) || undefined,
  );
  // The app's own folders are its own: of the session it gets the bus alone.
  const env = { DBUS_SESSION_BUS_ADDRESS: bus.env.DBUS_SESSION_BUS_ADDRESS };
  return {
    env,
    async secrets() {
      const script = path.join(import.meta.dirname, 'print-secrets.ts');
      const { stdout, stderr } = await exec([process.execPath, script], { env });
      if (stdout === '') throw new Error(`no answer from the keyring: ${stderr}`);
      return JSON.parse(stdout) as string[];
    },
    async [Symbol.asyncDispose]() {
      await endProcess(daemon, 'SIGKILL');
      await bus[Symbol.asyncDispose]();
    },
  };
}

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { endProcess, eventually, exec, words } from '../../lab/process.ts';

/** A real gnome-keyring on a message bus of its own. */
export interface Keyring extends AsyncDisposable {
  /** What an app needs to find it. */
  readonly env: { DBUS_SESSION_BUS_ADDRESS: string };
  /** The secrets stored for the app, as any program of the user's session could read them. */
  secrets(): Promise<string[]>;
}

export async function startKeyring(directory: string): Promise<Keyring> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // A path, because the abstract socket that is the default belongs to one network namespace.
  const env = { DBUS_SESSION_BUS_ADDRESS: `unix:path=${path.join(directory, 'bus')}` };
  const own = {
    ...process.env,
    ...env,
    HOME: directory,
    XDG_RUNTIME_DIR: directory,
    XDG_DATA_HOME: directory,
    XDG_CACHE_HOME: directory,
  };
  const bus = spawn(
    'dbus-daemon',
    ['--session', '--nofork', '--nopidfile', `--address=${env.DBUS_SESSION_BUS_ADDRESS}`],
    { env: own, stdio: 'ignore' },
  );
  await eventually(
    'the message bus answers',
    async () => (await hasOwner(env, 'org.freedesktop.DBus')) || undefined,
  );
  const daemon: ChildProcess = spawn(
    'gnome-keyring-daemon',
    ['--foreground', '--unlock', '--components=secrets'],
    { env: own, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  // The password of the login keyring, which it makes now.
  daemon.stdin?.end('\n');
  await eventually(
    'the keyring answers',
    async () => (await hasOwner(env, 'org.freedesktop.secrets')) || undefined,
  );
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
      await endProcess(bus, 'SIGKILL');
    },
  };
}

async function hasOwner(env: Record<string, string>, name: string): Promise<boolean> {
  const bus = 'dbus-send --session --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus';
  const { stdout } = await exec([...words(bus), 'org.freedesktop.DBus.NameHasOwner', `string:${name}`], {
    env,
  });
  return stdout.includes('boolean true');
}

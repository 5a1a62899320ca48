import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Machine } from '../machine/machine.ts';
import { endProcess, eventually, exec, words } from '../runs/process.ts';

/** A session's message bus, with its own home directory. */
export interface MessageBus extends AsyncDisposable {
  /** The environment of the session's programs, and of services that the bus starts. */
  readonly env: Readonly<Record<string, string>> & { DBUS_SESSION_BUS_ADDRESS: string };
}

export async function startMessageBus(
  directory: string,
  extraEnv: Readonly<Record<string, string>> = {},
): Promise<MessageBus> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const env = {
    HOME: directory,
    XDG_RUNTIME_DIR: directory,
    ...extraEnv,
    // A path, because the default is an abstract socket, which belongs to one network namespace.
    DBUS_SESSION_BUS_ADDRESS: `unix:path=${path.join(directory, 'bus')}`,
  };
  const bus = spawn(
    'dbus-daemon',
    ['--session', '--nofork', '--nopidfile', `--address=${env.DBUS_SESSION_BUS_ADDRESS}`],
    { env: { ...process.env, ...env }, stdio: 'ignore' },
  );
  await eventually(
    'the message bus answers',
    async () => (await hasOwner(env, 'org.freedesktop.DBus')) || undefined,
  );
  return { env, [Symbol.asyncDispose]: () => endProcess(bus, 'SIGKILL') };
}

/** A bus of the machine's own, for programs of all its users; resolves to its address once it can be connected to. */
export async function startSystemBus(machine: Machine, directory: string): Promise<string> {
  const [socket, configuration] = [
    path.join(directory, 'system-bus'),
    path.join(directory, 'system-bus.conf'),
  ];
  // Who may do what is for their services to say, and nobody else's programs are there.
  await writeFile(
    configuration,
    `<busconfig>
      <type>system</type><listen>unix:path=${socket}</listen><auth>EXTERNAL</auth>
      <policy context="default">
        <allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/>
      </policy>
    </busconfig>`,
  );
  await machine.spawnUntil(
    [
      ...words('setpriv --pdeathsig KILL -- dbus-daemon --nofork --nopidfile --print-address'),
      `--config-file=${configuration}`,
    ],
    /unix:path=/,
  );
  return `unix:path=${socket}`;
}

/** Whether a program on the bus owns this name. */
export async function hasOwner(env: Readonly<Record<string, string>>, name: string): Promise<boolean> {
  const bus = 'dbus-send --session --print-reply --dest=org.freedesktop.DBus /org/freedesktop/DBus';
  const { stdout } = await exec([...words(bus), 'org.freedesktop.DBus.NameHasOwner', `string:${name}`], {
    env,
  });
  return stdout.includes('boolean true');
}

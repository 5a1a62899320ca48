import { fileURLToPath } from 'node:url';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exec, run } from '../../../lab/runs/process.ts';

const script = fileURLToPath(new URL('../support/keychain-session.ts', import.meta.url));

let home: string;
let env: Record<string, string>;

beforeAll(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'waymaker-keychain-'));
  env = {
    HOME: home,
    XDG_DATA_HOME: path.join(home, 'data'),
    XDG_RUNTIME_DIR: home,
    DBUS_SESSION_BUS_ADDRESS: '',
  };
});

afterAll(async () => {
  await rm(home, { recursive: true, force: true });
});

/** Runs the session store on the system's keychain, in a desktop session with a gnome-keyring of its own. */
async function inDesktopSession(command: string): Promise<unknown> {
  const output = await run(
    [
      'dbus-run-session',
      '--',
      'sh',
      '-c',
      // An empty password unlocks the keyring, which is made at the first use.
      `printf '\\n' | gnome-keyring-daemon --unlock --components=secrets >/dev/null && "$0" "$1" "$2"`,
      process.execPath,
      script,
      command,
    ],
    { env },
  );
  return JSON.parse(output);
}

test('a token is kept in gnome-keyring from one start to the next, and gone after sign-out', async () => {
  expect(await inDesktopSession('sign-in')).toMatchObject({ signedIn: true, persistence: 'keychain' });
  expect(await inDesktopSession('show')).toEqual({
    signedIn: true,
    persistence: 'keychain',
    deviceId: 'device-1',
    token: 'token-1',
  });
  const found = await exec(['grep', '-r', '-a', '-l', 'token-1', home]);
  expect(found.code, 'the token is nowhere in the files of the user').toBe(1);
  // The same search does find the keyring's own mark.
  const control = await exec(['grep', '-r', '-a', '-l', 'GnomeKeyring', home]);
  expect(control.stdout).toContain('.keyring');
  expect(await inDesktopSession('sign-out')).toMatchObject({ signedIn: false });
  expect(await inDesktopSession('show')).toMatchObject({ signedIn: false, persistence: 'keychain' });
});

test('without a Secret Service the session lives in memory', async () => {
  const output = await run([process.execPath, script, 'sign-in'], { env });
  expect(JSON.parse(output)).toEqual({
    signedIn: true,
    persistence: 'memory',
    deviceId: 'device-1',
    token: 'token-1',
  });
});

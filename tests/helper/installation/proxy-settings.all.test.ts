import { copyFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { makeCoreDeb } from '../support/installed/core-packages.ts';
import { layMachine } from '../support/installed/installed-helper.ts';
import { createInstalledMachine, type InstalledMachine } from '../support/installed/installed-machine.ts';

// Systems are made, booted and installed on: minutes on a slow machine.
vi.setConfig({ testTimeout: waitLimit(600_000), hookTimeout: waitLimit(600_000) });

/** What becomes of users' proxy settings, which their apps have pointed at us, and of sessions when the package goes. */

const pac = 'http://127.0.0.1:40123/0123456789abcdef.pac';
const before = 'http://wpad.example/wpad.dat';
const others = 'http://127.0.0.1:1080/proxy.pac';
const deb = '/run/waymaker-core.deb';

const users = { away: 5001, here: 5002, changed: 5003 };
/** Where those who are logged in have their message bus. */
const session = `/run/user/${users.here}`;

let installed: InstalledMachine;

beforeAll(async () => {
  const making = makeCoreDeb();
  installed = await createInstalledMachine('nobody', undefined, layMachine);
  const { machine } = installed;
  await machine.run(words('rm -f /usr/sbin/policy-rc.d'));
  await copyFile(await making, machine.file(deb));
  for (const [user, id] of Object.entries(users))
    await machine.run(words(`useradd --create-home --uid ${id} --shell /bin/sh ${user}`));
});
afterAll(() => installed?.[Symbol.asyncDispose]());

/** Runs a script as a user, on the message bus of their session if they are logged in. */
async function as(user: string, script: string): Promise<string> {
  const { machine } = installed;
  const identity = [
    'setpriv',
    `--reuid=${user}`,
    `--regid=${user}`,
    '--init-groups',
    'env',
    `HOME=/home/${user}`,
  ];
  const bus =
    user === 'here' ? [`DBUS_SESSION_BUS_ADDRESS=unix:path=${session}/bus`] : ['dbus-run-session', '--'];
  return (await machine.run([...identity, ...bus, 'sh', '-c', script])).trim();
}

const schema = 'org.gnome.system.proxy';
const settings = async (user: string) => {
  const gnome = await as(user, `gsettings get ${schema} mode && gsettings get ${schema} autoconfig-url`);
  return [...gnome.replaceAll("'", '').split('\n'), await as(user, 'cat ~/.config/kioslaverc')];
};
const inKde = (script: string, type: number) =>
  `[Proxy Settings]\nProxy Config Script=${script}\nProxyType=${type}`;

/** As an app leaves them that is ended while it is connected. */
async function leaveOurs(user: string): Promise<void> {
  const record = {
    gnome: { own: { address: `'${before}'`, mode: "'manual'" }, pacUrls: [pac] },
    kde: { own: { address: before, mode: '3' }, pacUrls: [pac] },
  };
  await as(user, `gsettings set ${schema} autoconfig-url ${pac} && gsettings set ${schema} mode auto`);
  await as(user, `mkdir -p ~/.config/Waymaker && echo '${inKde(pac, 2)}' > ~/.config/kioslaverc`);
  const json = JSON.stringify({ killSwitch: true, proxyBefore: record }).replaceAll("'", String.raw`'\''`);
  await as(user, `echo '${json}' > ~/.config/Waymaker/settings.json`);
}

test('what was set before is set again for those who are logged in and those who are not, but by no upgrade', async () => {
  const { machine } = installed;
  await machine.run(['sh', '-c', `mkdir -p ${session} && chown here: ${session} && chmod 700 ${session}`]);
  await machine.run([
    ...words('setpriv --reuid=here --regid=here --init-groups env HOME=/home/here'),
    ...words(`dbus-daemon --session --fork --address=unix:path=${session}/bus`),
  ]);
  for (const user of Object.keys(users)) await leaveOurs(user);
  await as('changed', `gsettings set ${schema} autoconfig-url ${others}`);
  await as('changed', `echo '${inKde(others, 2)}' > ~/.config/kioslaverc`);
  const ours = ['auto', pac, inKde(pac, 2)];
  await machine.run(['dpkg', '--install', deb]);
  await installed.helper();
  await machine.run(['dpkg', '--install', deb]);
  await installed.helper();
  expect(await settings('away')).toEqual(ours);
  expect(await settings('here')).toEqual(ours);

  const removed = await machine.exec(words('dpkg --remove waymaker-core'));
  expect(removed).toMatchObject({ code: 0, stderr: '' });
  for (const user of ['away', 'here'])
    expect(await settings(user), user).toEqual(['manual', before, inKde(before, 3)]);
  expect(await settings('changed')).toEqual(['auto', others, inKde(others, 2)]);
  // What else is the user's own stays.
  expect(await as('away', 'cat ~/.config/Waymaker/settings.json')).toContain('killSwitch');
});

test('whose settings cannot be put back is said, and the package is removed all the same', async () => {
  const { machine } = installed;
  await leaveOurs('away');
  await machine.run(['dpkg', '--install', deb]);
  await installed.helper();
  // What something is mounted on cannot be replaced.
  const file = '/home/away/.config/kioslaverc';
  await machine.run(words(`mount --bind ${file} ${file}`));
  const removed = await machine.exec(words('dpkg --purge waymaker-core'));
  expect(removed.code).toBe(0);
  expect(removed.stderr).toContain('the proxy settings of away may still point at Waymaker');
});

test('with the kill switch on, a removal ends the session at the gateway, too, as its user would', async () => {
  const { machine, net } = installed;
  await machine.run(['dpkg', '--install', deb]);
  await installed.helper();
  await installed.connect({ killSwitch: true });
  expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  const earlier = (await net.lab.gateway.log()).length;
  await machine.run(words('dpkg --remove waymaker-core'));
  expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
  const said = await eventually('it is told', async () => {
    const log = (await net.lab.gateway.log()).slice(earlier);
    return log.includes('user disconnected') ? log : undefined;
  });
  // What an engine that was killed leaves, can be taken up again for as long as the gateway keeps it.
  expect(said).toMatch(/user disconnected \(reason: user disconnected/);
});

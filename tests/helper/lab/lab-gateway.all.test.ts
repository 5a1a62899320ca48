import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses, names, pools } from '../../lab/network/addresses.ts';
import { takeLab } from '../../lab/kept-labs.ts';
import type { Lab } from '../../lab/lab.ts';
import { whyWithout } from '../../lab/gateway/ocserv-versions.ts';
import { startOpenconnect } from '../../lab/gateway/openconnect.ts';
import { endProcess, exec } from '../../lab/runs/process.ts';

/** The laboratory's gateway with settings other than the usual ones. */

const user = { name: 'visitor', password: 'correct horse' };
let lab: Lab;
beforeAll(async () => {
  lab = await takeLab({ gateway: false, gatewayFamilies: 'dual-stack' });
  await lab.gateway.addUser(user.name, user.password, ['staff']);
});
afterAll(() => lab[Symbol.asyncDispose]());

/** What openconnect says while it signs in, or tries to. */
async function signIn(password: string, ...options: string[]): Promise<string> {
  const argv = ['openconnect', '--authenticate', '--non-inter', '--passwd-on-stdin', ...options];
  const target = [`--user=${user.name}`, `--cafile=${lab.gateway.authorityFile}`, `https://${names.gateway}`];
  const { stdout, stderr } = await lab.user.exec([...argv, ...target], { input: `${password}\n` });
  return stdout + stderr;
}

test('a stopped gateway refuses', async () => {
  expect(await signIn(user.password)).toMatch(/Connection refused/);
});

test('a password that is wrong is refused, the right one gives a cookie', async () => {
  await lab.gateway.start();
  expect(await signIn('wrong')).not.toContain('COOKIE=');
  expect(await signIn(user.password)).toContain('COOKIE=');
});

test('restarts that are asked for at once take place one after the other', async () => {
  await Promise.all([lab.gateway.restart(), lab.gateway.restart()]);
  expect(await signIn(user.password)).toContain('COOKIE=');
  await expect(lab.gateway.start()).rejects.toThrow('is running');
});

test('the gateway has an IPv6 address where it is asked to', async () => {
  expect(await lab.user.resolve(names.gateway)).toEqual(Object.values(addresses.gateway).sort());
  const { stdout } = await lab.user.exec([
    'curl',
    '-6',
    '-sk',
    '-w',
    '%{remote_ip}',
    `https://${names.gateway}/`,
  ]);
  expect(stdout).toContain(addresses.gateway.ipv6);
});

/** The first form of its sign-in. */
async function form(): Promise<string> {
  const xml = '<?xml version="1.0"?><config-auth client="vpn" type="init"><version>1</version></config-auth>';
  const url = `https://${names.gateway}/`;
  return (await lab.user.exec(['curl', '-sk', '-A', 'Open AnyConnect', '-d', xml, url])).stdout;
}

test('groups are offered at sign-in', async () => {
  expect(await form()).not.toContain('<option');
  await lab.gateway.restart({ groups: ['staff', 'guests'] });
  expect(await form()).toMatch(/<option[^>]*>staff<\/option>/);
  expect(await signIn(user.password, '--authgroup=staff')).toContain('COOKIE=');
  expect(await signIn(user.password, '--authgroup=guests')).not.toContain('COOKIE=');
  await lab.gateway.restart({ groups: [] });
});

test('another pool, an MTU and no IPv6 reach the client', async () => {
  await lab.gateway.restart({ pool: pools.second, mtu: 1300, ipv6: false });
  const client = await startOpenconnect(lab.user, lab.gateway, user);
  const shown = await lab.user.run(['ip', 'address', 'show', 'dev', 'tun0']);
  const log = await lab.gateway.log();
  await endProcess(client, 'SIGINT');
  expect(Number(/mtu (\d+)/.exec(shown)?.[1])).toBeLessThan(1300);
  expect(shown).not.toMatch(/inet6 2001/);
  expect(log).toMatch(/sending IPv4 198\.51\.100\.(19[2-9]|2\d\d)/);
  await lab.gateway.restart({ pool: pools.first, mtu: undefined, ipv6: true });
});

test('nothing of a gateway is on the machine around the laboratory', async () => {
  const { stdout } = await exec(['ss', '-Hlntu', 'sport', '=', ':443']);
  expect(stdout).not.toContain(addresses.gateway.ipv4);
});

const without = whyWithout('newest');
test.skipIf(without)(
  `the newest ocserv takes its place${without === undefined ? '' : `: ${without}`}`,
  async () => {
    expect(await form()).not.toContain('name="password"');
    await lab.gateway.restart({ version: 'newest' });
    // From 1.4 on, it asks for the name and the password in one form.
    expect(await form()).toMatch(/name="username"[^]*name="password"/);
    expect(await signIn('wrong')).not.toContain('COOKIE=');
    const client = await startOpenconnect(lab.user, lab.gateway, user);
    await endProcess(client, 'SIGINT');
    await lab.gateway.restart({ version: 'installed' });
  },
);

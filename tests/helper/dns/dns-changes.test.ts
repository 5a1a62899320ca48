import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addresses, names } from '../../lab/network/addresses.ts';
import { eventually } from '../../lab/runs/process.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { writeAtOnce } from '../support/write-at-once.ts';

/** Others change /etc/resolv.conf, a file that nobody manages, while the tunnel is up. */

const net = helperLabForEach();

const theirs = 'nameserver 192.0.2.99\n';
const read = () => net.lab.user.run(['cat', '/etc/resolv.conf']);
const putBack = () =>
  eventually('the tunnel’s resolvers are back', async () =>
    (await read()).includes(`nameserver ${addresses.inside.ipv4}\n`) ? true : undefined,
  );
const putBacks = () => net.log().match(/they were put back/g)?.length ?? 0;

/** Gives the machine an /etc in which resolv.conf can be replaced, and not only written, until the test ends. */
async function makeEtcReplaceable(): Promise<void> {
  const { user, directory } = net.lab;
  const etc = path.join(directory, 'etc');
  await user.run(['cp', '-a', '/etc', etc]);
  await user.run(['mount', '--bind', etc, '/etc']);
  onTestFinished(async () => {
    await user.run(['umount', '--lazy', '/etc']);
  });
}

test('what somebody adds to resolv.conf is put back, restored at the end, and not fought over', async () => {
  const original = await read();
  const client = await net.connect();
  await net.lab.user.run(['sh', '-c', 'echo nameserver 192.0.2.99 >> /etc/resolv.conf']);
  await eventually('the line is gone', async () =>
    (await read()).includes('192.0.2.99') ? undefined : true,
  );
  // The first original is what is restored, unless somebody has written theirs in place of ours.
  await client.call('disconnect', {});
  expect(await read()).toBe(original);

  const again = await net.connect();
  net.forgetLog();
  for (const text of [theirs, '', theirs.repeat(50)]) {
    await writeAtOnce(net, net.lab.user.resolvConf, text);
    await putBack();
    expect(await net.lab.user.resolve(names.inside)).toContain(addresses.inside.ipv4);
  }
  await expect.poll(putBacks).toBe(3);

  // Somebody who writes theirs again and again is not fought with, and gets theirs back at the end.
  const { user } = net.lab;
  const fighter = user.spawn([
    'sh',
    '-c',
    'while :; do grep -q "^nameserver 192.0.2.99" /etc/resolv.conf || echo nameserver 192.0.2.99 > /etc/resolv.conf; sleep 0.05; done',
  ]);
  await eventually('the helper gives way', () => net.log().includes('again and again') || undefined);
  const before = putBacks();
  expect(before).toBeLessThan(10);
  await expect.poll(read).toBe(theirs);
  await again.until('connected', { where: ({ problems }) => problems?.includes('dns-contested') === true });
  fighter.kill();
  expect(putBacks()).toBeLessThan(12);
  const contested = again.states.length;
  await putBack();
  await again.until('connected', {
    seen: contested,
    where: ({ problems }) => problems === undefined,
  });
  await writeAtOnce(net, user.resolvConf, theirs.repeat(50));
  await again.call('disconnect', {});
  expect(await read()).toBe(theirs.repeat(50));
});

test('a file that is replaced by another, removed, or made a link is put back, and all that is theirs remains', async () => {
  const { user, directory } = net.lab;
  await makeEtcReplaceable();
  const targets = ['one', 'two'].map((name) => path.join(directory, name));
  const client = await net.connect();
  // As editors and dhclient-script(8) do it.
  await user.run(['sh', '-c', `echo "${theirs.trim()}" > /etc/new && mv /etc/new /etc/resolv.conf`]);
  await putBack();
  await user.run(['rm', '/etc/resolv.conf']);
  await eventually(
    'there is one',
    async () => (await user.exec(['test', '-s', '/etc/resolv.conf'])).code === 0 || undefined,
  );
  for (const target of targets) {
    await writeFile(target, `# ${target}\n${theirs}`);
    await user.run(['ln', '-sfn', target, '/etc/resolv.conf']);
    await putBack();
    expect(await user.resolve(names.inside)).toContain(addresses.inside.ipv4);
  }
  await writeAtOnce(net, targets[1] ?? '', theirs);
  await putBack();
  await client.call('disconnect', {});
  expect(await user.run(['readlink', '/etc/resolv.conf'])).toBe(`${targets[1]}\n`);
  expect(await readFile(targets[0] ?? '', 'utf8')).toBe(`# ${targets[0]}\n${theirs}`);
  expect(await readFile(targets[1] ?? '', 'utf8')).toBe(theirs);
});

test('resolv.conf that could not be restored while traffic was blocked is restored when traffic is unblocked', async () => {
  const { user } = net.lab;
  const original = await read();
  const client = await net.connect({ killSwitch: true });
  const ours = await read();
  await user.run(['chattr', '+i', '/etc/resolv.conf']);
  onTestFinished(async () => {
    await user.run(['chattr', '-i', '/etc/resolv.conf']);
  });
  await client.call('disconnect', { reason: 'session-ended' });
  expect(client.states.at(-1)).toMatchObject({ state: 'disconnected', blocked: true });
  expect(await read()).toBe(ours);
  await user.run(['chattr', '-i', '/etc/resolv.conf']);
  await client.call('disconnect', {});
  expect(await read()).toBe(original);
});

if (isExhaustive)
  test('a file that its owner made immutable stays as it is, and names go through the tunnel to where it says', async () => {
    const { user } = net.lab;
    const original = await read();
    await user.run(['chattr', '+i', '/etc/resolv.conf']);
    onTestFinished(async () => {
      await user.run(['chattr', '-i', '/etc/resolv.conf']);
    });
    const packetsOutside = async () => {
      const capture = await net.lab.capture(`host ${addresses.resolver.ipv4}`);
      expect(await user.resolve(names.where)).toContain(addresses.direct.ipv4);
      return capture.stop();
    };
    expect(await packetsOutside()).not.toEqual([]);
    const client = await net.connect();
    expect(await packetsOutside()).toEqual([]);
    await client.call('disconnect', {});
    expect(await read()).toBe(original);
  });

if (isExhaustive)
  test('eight changes, each as soon as the one before was put back, end with the tunnel’s resolvers soon after', async () => {
    const { user } = net.lab;
    const client = await net.connect();
    for (let change = 1; change <= 8; change += 1) {
      await writeAtOnce(net, user.resolvConf, `nameserver 192.0.2.9${change}\n`);
      await putBack();
    }
    expect(await user.resolve(names.inside)).toContain(addresses.inside.ipv4);
    await expect.poll(() => net.log()).toContain('again and again');
    await client.call('disconnect', {});
  });

if (isExhaustive)
  test('a disconnect in the midst of changes leaves what others wrote last, and nothing of ours', async () => {
    const { user } = net.lab;
    for (let round = 0; round < 3; round += 1) {
      const client = await net.connect();
      const writes = user.run([
        'sh',
        '-c',
        `for n in 1 2 3 4 5 6; do echo nameserver 192.0.2.9$n > /etc/resolv.conf; sleep 0.06; done`,
      ]);
      await client.call('disconnect', {});
      await writes;
      expect(await read()).toMatch(/^nameserver 192\.0\.2\.9\d\n$/);
    }
  });

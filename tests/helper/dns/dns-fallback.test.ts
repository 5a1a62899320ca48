import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addresses, names } from '../../lab/network/addresses.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';

/** A gateway that pushes no resolver. */

let net: HelperLab;

beforeAll(async () => {
  net = await createHelperLab({ gateway: { dns: [] } });
  await net.start();
});

afterAll(async () => {
  await net?.[Symbol.asyncDispose]();
});

const nameservers = async () =>
  [...(await net.lab.user.run(['cat', '/etc/resolv.conf'])).matchAll(/^nameserver (.*)$/gm)].map(
    ([, server]) => server,
  );

test('the machine’s own public resolvers are asked through the tunnel, and the user’s own before them', async () => {
  const packetsOutside = async () => {
    const { ipv4, ipv6 } = addresses.resolver;
    const capture = await net.lab.capture(`host ${ipv4} or host ${ipv6}`);
    expect(await net.lab.user.resolve(names.where)).toContain(addresses.direct.ipv4);
    return capture.stop();
  };
  expect(await packetsOutside()).not.toEqual([]);
  const client = await net.connect();
  expect(await nameservers()).toEqual([addresses.resolver.ipv4, addresses.resolver.ipv6]);
  expect(await packetsOutside()).toEqual([]);
  await client.call('disconnect', {});
  expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);

  const other = await net.connect({ ownResolvers: ['127.0.0.1', addresses.inside.ipv4] });
  expect(await nameservers()).toEqual([addresses.inside.ipv4]);
  expect(await net.lab.user.resolve(names.inside)).toContain(addresses.inside.ipv4);
  await other.call('disconnect', {});
});

test('private ones are left as they are, and the state says that there is none', async () => {
  const { user } = net.lab;
  await writeFile(user.resolvConf, 'nameserver 192.168.1.1\n');
  const client = await net.connect();
  expect(await nameservers()).toEqual(['192.168.1.1']);
  expect(net.log()).toContain('there is no resolver');
  expect(await client.until('connected')).toMatchObject({ problems: ['no-dns'] });
  await client.call('disconnect', {});
  expect(await nameservers()).toEqual(['192.168.1.1']);
});

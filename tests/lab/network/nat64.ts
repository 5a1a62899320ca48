import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { unpackedPackage } from '../machine/unpacked-package.ts';
import type { Lab } from '../lab.ts';
import { endProcess } from '../runs/process.ts';
import { addresses } from './addresses.ts';
import { ipBatch } from './network.ts';
import { translatorPrefix } from './zones.ts';

/** IPv4 addresses that the translator gives to those whom it translates. */
const translatorPool = '192.168.255.0/24';

/**
 * Takes IPv4 away from the user's machine, until it is disposed, and starts a translator (NAT64) on its router:
 * Debian's tayga. The service, which listens on IPv4 alone, is reached by its usual addresses.
 */
export async function startIpv6OnlyNetwork({
  user,
  internet,
  directory,
}: Pick<Lab, 'user' | 'internet' | 'directory'>): Promise<AsyncDisposable> {
  const program = path.join(unpackedPackage('tayga'), 'usr/sbin/tayga');
  const at = (name: string) => path.join(directory, `tayga${name}`);
  const { service } = addresses;
  const own = [addresses.user, addresses.userPrivate].map(({ ipv4 }) => `${ipv4}/24`);
  await mkdir(at(''), { recursive: true });
  await writeFile(
    at('.conf'),
    [
      'tun-device nat64',
      'ipv4-addr 192.168.255.1',
      `prefix ${translatorPrefix}/96`,
      `dynamic-pool ${translatorPool}`,
      `map ${service.ipv4} ${service.ipv6}`,
      `data-dir ${at('')}`,
      '',
    ].join('\n'),
  );
  await internet.run([program, '--config', at('.conf'), '--mktun']);
  await ipBatch(internet, [
    'link set nat64 up',
    `route add ${translatorPool} dev nat64`,
    `route add ${translatorPrefix}/96 dev nat64`,
    `address delete ${service.ipv6}/128 dev lo`,
    `route add ${service.ipv6}/128 dev nat64`,
  ]);
  const translator = internet.spawn(
    ['setpriv', '--pdeathsig', 'KILL', '--', program, '-d', '--config', at('.conf')],
    { stdio: 'ignore' },
  );
  await ipBatch(
    user,
    own.map((address) => `address delete ${address} dev uplink`),
  );
  return {
    async [Symbol.asyncDispose]() {
      await ipBatch(user, [
        ...own.map((address) => `address add ${address} dev uplink`),
        `route add default via ${addresses.router.ipv4}`,
      ]);
      await endProcess(translator);
      await ipBatch(internet, ['link delete nat64', `address add ${service.ipv6}/128 dev lo nodad`]);
    },
  };
}

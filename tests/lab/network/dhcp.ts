import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { addresses } from './addresses.ts';
import type { Machine } from '../machine/machine.ts';
import { endProcess, eventually } from '../runs/process.ts';
import { unpackedPackage } from '../machine/unpacked-package.ts';

/** Seconds. */
const leaseTime = 120;
/** After so many, a client asks the server for it again, and after so many, anybody (RFC 2132 §9.11, §9.12). */
const [renewalTime, rebindingTime] = [4, 100];

/** A router's ISC DHCP server, which gives the user's machine its usual address. Disposing ends it. */
export interface DhcpServer extends AsyncDisposable {
  /** Other resolvers, from the next lease on. */
  restart(resolvers: readonly string[]): Promise<void>;
  /** How often an address was given, or given again, since the last start. */
  leases(): number;
}

export async function startDhcpServer(
  router: Machine,
  directory: string,
  resolvers: readonly string[],
): Promise<DhcpServer> {
  const program = path.join(unpackedPackage('isc-dhcp-server'), 'usr/sbin/dhcpd');
  const at = (name: string) => path.join(directory, `dhcpd.${name}`);
  await writeFile(at('leases'), '');

  async function start(servers: readonly string[]) {
    await writeFile(at('conf'), configurationOf(servers));
    const files = { '-cf': at('conf'), '-lf': at('leases'), '-pf': at('pid') };
    return startLogged(router, [program, '-4', '-d', ...Object.entries(files).flat(), 'user0']);
  }

  let running = await start(resolvers);
  return {
    async restart(servers) {
      await endProcess(running.child);
      running = await start(servers);
    },
    leases: () => running.log().match(/^DHCPACK on /gm)?.length ?? 0,
    [Symbol.asyncDispose]: () => endProcess(running.child),
  };
}

const configurationOf = (resolvers: readonly string[]) => `
authoritative;
default-lease-time ${leaseTime};
max-lease-time ${leaseTime};
option dhcp-renewal-time ${renewalTime};
option dhcp-rebinding-time ${rebindingTime};
# Also to a client that does not ask for these two: 58 and 59.
option dhcp-parameter-request-list 1, 3, 6, 58, 59;
subnet 192.0.2.0 netmask 255.255.255.0 {
  range ${addresses.user.ipv4};
  option routers ${addresses.router.ipv4};
  option domain-name-servers ${resolvers.join(', ')};
}
`;

/** Debian's dhclient with its own script and configuration, on the uplink. Resolves once it has an address. */
export async function startDhcpClient(machine: Machine, directory: string): Promise<AsyncDisposable> {
  const files = unpackedPackage('isc-dhcp-client');
  const own = (name: string) => path.join(files, name);
  const at = (name: string) => path.join(directory, `dhclient.${name}`);
  // The server does not give away an address that answers.
  await machine.run(['ip', 'address', 'del', `${addresses.user.ipv4}/24`, 'dev', 'uplink']);
  const options = {
    '-cf': own('etc/dhcp/dhclient.conf'),
    '-sf': own('sbin/dhclient-script'),
    '-lf': at('leases'),
    '-pf': at('pid'),
  };
  const { child, log } = startLogged(machine, [
    own('sbin/dhclient'),
    '-d',
    ...Object.entries(options).flat(),
    'uplink',
  ]);
  await eventually('dhclient has an address', () => log().includes('bound to ') || undefined);
  return { [Symbol.asyncDispose]: () => endProcess(child) };
}

/** Ends with this process, as programs that lose their terminal otherwise do not. */
function startLogged(machine: Machine, argv: readonly string[]): { child: ChildProcess; log: () => string } {
  let text = '';
  const child = machine.spawn(['setpriv', '--pdeathsig', 'KILL', ...argv], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr?.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return { child, log: () => text };
}

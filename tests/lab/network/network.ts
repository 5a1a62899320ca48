import { addresses, sentinelGroup, type AddressPair } from './addresses.ts';
import type { Machine } from '../machine/machine.ts';
import { run, words } from '../runs/process.ts';

export interface Machines {
  readonly user: Machine;
  readonly internet: Machine;
  readonly gateway: Machine;
}

/**
 * Connects the machines: user —uplink/user0— internet —gateway0/uplink— gateway, dual stack. The links are created
 * inside the namespaces, so that the machine's own network never sees them.
 */
export async function wire({ user, internet, gateway }: Machines): Promise<void> {
  for (const machine of [user, internet, gateway]) {
    // Duplicate address detection (RFC 4862 §5.4) would keep every new address tentative for a second.
    await setKernel(machine, ['net.ipv6.conf.all.accept_dad=0', 'net.ipv6.conf.default.accept_dad=0']);
  }
  for (const machine of [internet, gateway]) {
    await setKernel(machine, ['net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1']);
  }
  await link(user, internet, 'user0');
  await link(gateway, internet, 'gateway0');

  await ipBatch(user, [
    ...address(addresses.user, 24, 'uplink'),
    ...address(addresses.userPrivate, 24, 'uplink'),
    ...defaultRoutes(addresses.router),
  ]);
  await ipBatch(gateway, [
    ...address(addresses.gateway, 26, 'uplink'),
    ...address(addresses.untrustedGateway, 26, 'uplink'),
    // Deprecated (RFC 4862 §5.5.4), so that masqueraded packets use the gateway's first address.
    `address change ${addresses.untrustedGateway.ipv6}/64 dev uplink preferred_lft 0`,
    ...address(addresses.inside, 'host', 'lo'),
    ...defaultRoutes(addresses.gatewayRouter),
  ]);
  await ipBatch(internet, [
    ...address(addresses.router, 24, 'user0'),
    ...address(addresses.neighbour, 24, 'user0'),
    ...address(addresses.gatewayRouter, 26, 'gateway0'),
    ...[addresses.resolver, addresses.service, addresses.echo, addresses.direct].flatMap((pair) =>
      address(pair, 'host', 'lo'),
    ),
    `route add ${sentinelGroup} dev user0`,
  ]);
  // What comes out of a tunnel continues with the gateway's own address.
  await gateway.run(['nft', '-f', '-'], {
    input: `table inet tunnels {
      chain postrouting {
        type nat hook postrouting priority srcnat;
        iifname "vpns*" oifname "uplink" masquerade
      }
    }`,
  });
}

async function link(machine: Machine, internet: Machine, far: string): Promise<void> {
  await run([
    ...words(`ip link add uplink netns ${machine.namespace} type veth`),
    ...words(`peer name ${far} netns ${internet.namespace}`),
  ]);
  await ipBatch(machine, ['link set uplink up']);
  await ipBatch(internet, [`link set ${far} up`]);
}

/** Lines of ip(8) that give a device both addresses; `prefix` is the length of the IPv4 one, the other has 64. */
export function address(pair: AddressPair, prefix: 16 | 24 | 26 | 'host', device: string): string[] {
  const [v4, v6] = prefix === 'host' ? [32, 128] : [prefix, 64];
  return [
    `address add ${pair.ipv4}/${v4} dev ${device}`,
    `address add ${pair.ipv6}/${v6} dev ${device} nodad`,
  ];
}

export function defaultRoutes(router: AddressPair): string[] {
  return [`route add default via ${router.ipv4}`, `route add default via ${router.ipv6}`];
}

/** Runs lines of ip(8) inside a machine, up to the first that fails. */
export async function ipBatch(machine: Machine, lines: readonly string[]): Promise<void> {
  await machine.run(['ip', '-batch', '-'], { input: lines.join('\n') });
}

/** Sets kernel parameters of the machine's own network, as `name=value`. */
export async function setKernel(machine: Machine, settings: readonly string[]): Promise<void> {
  await machine.run(['sysctl', '--quiet', '--write', ...settings]);
}

/** Whether the internet forwards packets to and from the gateway; if not, they vanish without an error. */
export async function setForwarding(internet: Machine, passes: boolean): Promise<void> {
  await internet.run(words('nft -f -'), {
    input: `table inet wire
      delete table inet wire
      ${passes ? '' : brokenWire}
    `,
  });
}

const brokenWire = `table inet wire {
  chain forward {
    type filter hook forward priority filter;
    iifname "gateway0" drop
    oifname "gateway0" drop
  }
}`;

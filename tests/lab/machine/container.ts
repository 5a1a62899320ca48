import path from 'node:path';
import { addresses } from '../network/addresses.ts';
import type { FarSide } from '../network/far-side.ts';
import { createMachine, removeNamespace, type Machine } from './machine.ts';
import { address, defaultRoutes, ipBatch, setKernel } from '../network/network.ts';
import { createProbes, type Probes } from '../probes/probe.ts';
import { eventually, run, words } from '../runs/process.ts';
import { programFile } from '../runs/programs.ts';

/** A container behind a bridge of the user's machine; it answers HTTP. Disposing removes both. */
export interface Container extends Machine, AsyncDisposable {
  readonly probe: Probes;
}

export interface ContainerOptions {
  /**
   * Which packets of containers get the machine's own address: those that do not go back to the bridge, as Docker does
   * it, or only those to the uplink, as handwritten rules do it.
   */
  masquerade?: 'beyond-bridge' | 'to-uplink';
}

/** Docker's name for its first bridge. */
const bridge = 'docker0';

/**
 * A bridge, a container and the rules of Docker 20.10 (from its `iptables-save` and `ip6tables-save`, with "ip6tables"
 * and "fixed-cidr-v6" set) on a machine: NAT, forwarding, and a forward chain that drops everything else.
 */
export async function startContainer(
  machine: Machine,
  directory: string,
  { masquerade = 'beyond-bridge' }: ContainerOptions = {},
): Promise<Container> {
  const namespace = machine.namespace.replace(/u$/, 'c');
  const container = await createMachine(namespace, directory, `nameserver ${addresses.resolver.ipv4}\n`);
  await setKernel(container, ['net.ipv6.conf.all.accept_dad=0', 'net.ipv6.conf.default.accept_dad=0']);
  await setKernel(machine, ['net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1']);
  await ipBatch(machine, [
    `link add ${bridge} type bridge`,
    `link set ${bridge} up`,
    ...address(addresses.bridge, 16, bridge),
  ]);
  await run([
    ...words(`ip link add eth0 netns ${namespace} type veth`),
    ...words(`peer name veth0 netns ${machine.namespace}`),
  ]);
  await ipBatch(machine, [`link set veth0 master ${bridge}`, 'link set veth0 up']);
  await ipBatch(container, [
    'link set eth0 up',
    ...address(addresses.container, 16, 'eth0'),
    ...defaultRoutes(addresses.bridge),
  ]);
  await eventually(`${bridge} is up`, async () => {
    const link = await machine.run(words(`ip -oneline link show dev ${bridge}`));
    return link.includes(' state UP ') || undefined;
  });
  await machine.run(['nft', '-f', '-'], { input: dockerRules(masquerade) });
  await serve(container, directory);
  return {
    ...container,
    probe: createProbes(container),
    async [Symbol.asyncDispose]() {
      await removeNamespace(namespace);
      const tables = ['ip nat', 'ip filter', 'ip6 nat', 'ip6 filter'];
      await machine.run(['nft', '-f', '-'], {
        input: tables.map((table) => `delete table ${table}\n`).join(''),
      });
      await ipBatch(machine, [`link del ${bridge}`]);
      await setKernel(machine, ['net.ipv4.ip_forward=0', 'net.ipv6.conf.all.forwarding=0']);
    },
  };
}

async function serve(container: Machine, directory: string): Promise<void> {
  const served: FarSide = {
    zone: {},
    resolver: addresses.container,
    echoes: [addresses.container],
    queries: path.join(directory, `${container.namespace}-queries`),
  };
  const script = programFile('tests/lab/network/far-side.ts');
  await container.spawnUntil(
    [...words('setpriv --pdeathsig KILL --'), process.execPath, script, JSON.stringify(served)],
    /serving/,
  );
}

function dockerRules(masquerade: 'beyond-bridge' | 'to-uplink'): string {
  const leaving = masquerade === 'to-uplink' ? 'oifname "uplink"' : `oifname != "${bridge}"`;
  const networks = { ip: '172.17.0.0/16', ip6: 'fd57:4159:17::/64' };
  return (['ip', 'ip6'] as const)
    .map(
      (family) => `table ${family} nat {
  chain POSTROUTING {
    type nat hook postrouting priority srcnat; policy accept;
    ${family} saddr ${networks[family]} ${leaving} counter masquerade
  }
}
table ${family} filter {
  chain FORWARD {
    type filter hook forward priority filter; policy drop;
    oifname "${bridge}" ct state related,established counter accept
    iifname "${bridge}" counter accept
  }
}
`,
    )
    .join('');
}

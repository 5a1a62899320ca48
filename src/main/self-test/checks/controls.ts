import { addresses } from '../addresses.ts';
import {
  leaksOf,
  newToken,
  NotChecked,
  sendProbes,
  withControls,
  type Bench,
  type Check,
  type Control,
} from './bench.ts';
import { neighbourProbes, sendToComputer } from './neighbour-probes.ts';
import { probeClasses, type ProbeClass } from './probes.ts';
import type { PacketSocket } from '../linux/system-calls.ts';
import { devices, ip } from '../linux/world.ts';

/**
 * Routes as a hostile network's DHCP gives them (RFC 3442): nearer than any default route, by way of the local network.
 * `TunnelVision` is the name of the attack (CVE-2024-3661).
 */
const hostileRoutes = (hasIpv6: boolean, action: 'add' | 'del'): string[] => [
  ...[`${addresses.host.ipv4}/32`, '203.0.113.0/24', '0.0.0.0/1', '128.0.0.0/1'].map(
    (network) => `route ${action} ${network} via ${addresses.router.ipv4} dev ${devices.uplink}`,
  ),
  ...(hasIpv6 ? [`${addresses.host.ipv6}/128`, '2001:db8:3::/48', '::/1', '8000::/1'] : []).map(
    (network) => `route ${action} ${network} via ${addresses.router.ipv6} dev ${devices.uplink}`,
  ),
];

async function withHostileRoutes<Value>(hasIpv6: boolean, action: () => Promise<Value>): Promise<Value> {
  ip(hostileRoutes(hasIpv6, 'add'));
  try {
    return await action();
  } finally {
    ip(hostileRoutes(hasIpv6, 'del'));
  }
}

const routedClasses: readonly ProbeClass[] = ['plain', 'ipv6', 'dns'];

/** Which probes of a class cannot be seen, while everything is allowed. */
async function unseen(bench: Bench, kinds: readonly ProbeClass[]): Promise<string[]> {
  let probes: Awaited<ReturnType<typeof sendProbes>> = [];
  const frames = await bench.observe(async () => {
    probes = await sendProbes(bench, kinds, newToken());
  });
  return probes.filter((probe) => !frames.some((frame) => probe.isIn(frame))).map(({ name }) => name);
}

/** Looks at everything once without a tunnel, when all of it may leave. */
export async function takeControls(bench: Bench, wire: PacketSocket): Promise<void> {
  const { controls, world } = bench;
  for (const kind of probeClasses) controls.set(kind, await unseen(bench, [kind]));
  controls.set('others-routes', await withHostileRoutes(world.hasIpv6, () => unseen(bench, routedClasses)));
  controls.set('neighbours', await unanswered(bench, wire));
}

/**
 * Which questions of a neighbour for the tunnel's addresses remain without an answer while nothing protects them: as with
 * a VPN that only sets addresses and routes.
 */
async function unanswered(bench: Bench, wire: PacketSocket): Promise<string[]> {
  const { world } = bench;
  const own = (action: 'add' | 'del') => [
    `address ${action} ${addresses.tunnel.ipv4}/32 dev ${devices.uplink}`,
    ...(world.hasIpv6
      ? [
          `address ${action} ${addresses.tunnel.ipv6}/128 dev ${devices.uplink}${action === 'add' ? ' nodad' : ''}`,
        ]
      : []),
  ];
  const probes = probesOf(bench);
  ip(own('add'));
  try {
    const frames = await bench.observe(() => sendToComputer(wire, probes));
    return probes.filter(({ isAnswer }) => !frames.some(isAnswer)).map(({ name }) => name);
  } finally {
    ip(own('del'));
  }
}

const probesOf = ({ world }: Bench) =>
  neighbourProbes(
    addresses.tunnel,
    { computer: world.hardware.uplink, neighbour: world.hardware.wire },
    world.hasIpv6,
  );

/** While connected: nothing leaves, whatever sends it. */
export function leakChecks(bench: Bench, wire: PacketSocket | undefined) {
  const leak = (kinds: readonly ProbeClass[], controls: readonly Control[] = kinds): Check => ({
    observers: ['uplink'],
    async run() {
      if (kinds.includes('ipv6') && !bench.world.hasIpv6) throw new NotChecked('no-ipv6');
      return withControls(bench, controls, await leaksOf(bench, kinds));
    },
  });
  return {
    plain: leak(['plain']),
    'other-ip-version': leak(['ipv6']),
    'other-resolvers': leak(['dns']),
    'bound-sockets': leak(['bound']),
    'others-routes': {
      observers: ['uplink'],
      run: async () =>
        withControls(
          bench,
          ['others-routes'],
          await withHostileRoutes(bench.world.hasIpv6, () => leaksOf(bench, routedClasses)),
        ),
    } satisfies Check,
    neighbours: {
      observers: ['uplink'],
      async run() {
        if (!wire) throw new NotChecked('no-observer');
        const probes = probesOf(bench);
        const frames = await bench.observe(() => sendToComputer(wire, probes));
        const answered = probes.filter(({ isAnswer }) => frames.some(isAnswer));
        return withControls(
          bench,
          ['neighbours'],
          answered.map(({ name }) => `answered to the local network: ${name}`),
        );
      },
    } satisfies Check,
  };
}

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
import { probeClasses, type ProbeClass } from './probes.ts';

async function withHostileRoutes<Value>({ around }: Bench, action: () => Promise<Value>): Promise<Value> {
  const { computer, hostileRoutes } = around;
  if (hostileRoutes.length === 0) throw new NotChecked('no-control', ['there is no router']);
  computer.changeRoutes('add', hostileRoutes);
  try {
    return await action();
  } finally {
    computer.changeRoutes('delete', hostileRoutes);
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

/** What cannot even be tried is not seen either. */
async function triedOr(what: () => Promise<string[]>): Promise<string[]> {
  try {
    return await what();
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Looks at everything once without a tunnel, when all of it may leave. */
export async function takeControls(bench: Bench): Promise<void> {
  const { controls, around } = bench;
  if (around.watch) {
    for (const kind of probeClasses) controls.set(kind, await triedOr(() => unseen(bench, [kind])));
    controls.set(
      'others-routes',
      await triedOr(() => withHostileRoutes(bench, () => unseen(bench, routedClasses))),
    );
  }
  controls.set('neighbours', await triedOr(() => unanswered(bench)));
}

/**
 * Which questions of a neighbour for the tunnel's addresses remain without an answer while nothing protects them: as
 * with a VPN that only sets addresses and routes.
 */
async function unanswered({ around }: Bench): Promise<string[]> {
  const { askAsNeighbour, computer, places, hasIpv6 } = around;
  if (!askAsNeighbour) return ['there is no neighbour'];
  const own = [places.tunnel.ipv4, ...(hasIpv6 ? [places.tunnel.ipv6] : [])];
  computer.changeAddresses('add', own);
  try {
    const { tried, answered } = await askAsNeighbour(places.tunnel);
    return tried.length === 0 ? ['nothing was asked'] : tried.filter((name) => !answered.includes(name));
  } finally {
    computer.changeAddresses('delete', own);
  }
}

/** While connected: nothing leaves, whatever sends it. */
export function leakChecks(bench: Bench) {
  const { around } = bench;
  const leak = (kinds: readonly ProbeClass[], controls: readonly Control[] = kinds): Check => ({
    observers: ['uplink'],
    async run() {
      if (kinds.includes('ipv6') && !around.hasIpv6Outside) throw new NotChecked('no-ipv6');
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
          await withHostileRoutes(bench, () => leaksOf(bench, routedClasses)),
        ),
    } satisfies Check,
    neighbours: {
      observers: around.neighbourObservers,
      async run() {
        const { askAsNeighbour, places } = around;
        if (!askAsNeighbour) throw new NotChecked(around.whyNoNeighbour);
        const { answered } = await askAsNeighbour(places.tunnel);
        return withControls(
          bench,
          ['neighbours'],
          answered.map((name) => `answered to the local network: ${name}`),
        );
      },
    } satisfies Check,
  };
}

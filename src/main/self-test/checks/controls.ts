import { probeClasses, type ProbeClass } from './probes.ts';
import { leaksOf, newToken, sendProbes, type Bench, type Check } from './bench.ts';
import { NotChecked } from './not-checked.ts';
import { onlyBySight, sightOf, type Control, type Tried } from './sight.ts';

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

/** Whether the probes of these classes can be seen, while everything is allowed. */
async function tried(bench: Bench, kinds: readonly ProbeClass[]): Promise<Tried[]> {
  let probes: Awaited<ReturnType<typeof sendProbes>> = [];
  const frames = await bench.observe(async () => {
    probes = await sendProbes(bench, kinds, newToken());
  });
  return probes.map((probe) => ({
    name: probe.name,
    way: probe.way,
    ipVersion: probe.ipVersion,
    isSeen: frames.some((frame) => probe.isIn(frame)),
  }));
}

/** What cannot even be tried is not seen either. */
async function triedOr(what: () => Promise<Tried[]>): Promise<Tried[] | string> {
  try {
    return await what();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Looks at everything once without a tunnel, when all of it may leave. */
export async function takeControls(bench: Bench): Promise<void> {
  const { controls, around } = bench;
  if (around.watch) {
    for (const kind of probeClasses) controls.set(kind, await triedOr(() => tried(bench, [kind])));
    controls.set(
      'others-routes',
      await triedOr(() => withHostileRoutes(bench, () => tried(bench, routedClasses))),
    );
  }
  controls.set('neighbours', await triedOr(() => answeredOf(bench)));
}

/**
 * Which questions of a neighbour for the tunnel's addresses have an answer while nothing protects them: as with a VPN
 * that only sets addresses and routes.
 */
async function answeredOf({ around }: Bench): Promise<Tried[]> {
  const { askAsNeighbour, computer, places, hasIpv6 } = around;
  if (!askAsNeighbour) throw new Error('there is no neighbour');
  const own = [places.tunnel.ipv4, ...(hasIpv6 ? [places.tunnel.ipv6] : [])];
  computer.changeAddresses('add', own);
  try {
    const asked = await askAsNeighbour(places.tunnel);
    if (asked.tried.length === 0) throw new Error('nothing was asked');
    return asked.tried.map((name) => ({
      name,
      ipVersion: name.includes(places.tunnel.ipv6) ? 'ipv6' : 'ipv4',
      isSeen: asked.answered.includes(name),
    }));
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
      return onlyBySight(await leaksOf(bench, kinds), sightOf(bench, controls));
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
        onlyBySight(
          await withHostileRoutes(bench, () => leaksOf(bench, routedClasses)),
          sightOf(bench, ['others-routes']),
        ),
    } satisfies Check,
    neighbours: {
      observers: around.neighbourObservers,
      async run() {
        const { askAsNeighbour, places } = around;
        if (!askAsNeighbour) throw new NotChecked(around.whyNoNeighbour);
        const { answered } = await askAsNeighbour(places.tunnel);
        const problems = answered.map((name) => `answered to the local network: ${name}`);
        return onlyBySight(problems, sightOf(bench, ['neighbours']), around.neighbourObservers);
      },
    } satisfies Check,
  };
}

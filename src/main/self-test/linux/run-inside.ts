import { spawnSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { addresses, names, ports } from '../addresses.ts';
import { observeBy } from '../checks/bench.ts';
import { neighbourProbes, sendToComputer } from '../checks/neighbour-probes.ts';
import type { Places, Route, Surroundings } from '../checks/surroundings.ts';
import { watchUplink } from '../checks/uplink-watch.ts';
import { startHelper } from '../product/children.ts';
import { runWithProduct } from '../product/run-with-product.ts';
import type { ServiceFacts } from '../service.ts';
import { orStop, Stopped } from '../stopped.ts';
import type { Engine } from '../verdict.ts';
import type { InsideTask, Message } from '../messages.ts';
import { linuxComputer } from './linux-computer.ts';
import { isInstalled } from './needs.ts';
import { places } from './places.ts';
import { makePrivateSystem } from './private-system.ts';
import { createWorld, devices, type World } from './world.ts';

/** How long all of it may take, in milliseconds: what is left then is not checked. */
const limitMs = 105_000;

/**
 * The part of a self-test that runs as root in namespaces of its own, as the first process of one: makes a small
 * internet around this network, runs the product in it and looks at it. Tells what it finds by `tell`.
 */
export async function runInside(task: InsideTask, tell: (message: Message) => void): Promise<void> {
  const [helperLog, coreLog]: [string[], string[]] = [[], []];
  const closing: (() => Promise<void> | void)[] = [];
  const facts: Record<string, string> = {};
  try {
    await run(task, { tell, helperLog, coreLog, facts, onClose: (close) => closing.push(close) });
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    const obstacle = error instanceof Stopped ? error.obstacle : 'broken';
    tell({ kind: 'obstacle', obstacle, detail });
  }
  for (const close of closing.toReversed()) await close();
  tell({ kind: 'end', facts, coreLog, helperLog });
}

interface Told {
  tell: (message: Message) => void;
  helperLog: string[];
  coreLog: string[];
  facts: Record<string, string>;
  onClose: (close: () => Promise<void> | void) => void;
}

async function run(task: InsideTask, { tell, helperLog, coreLog, facts, onClose }: Told): Promise<void> {
  const deadline = performance.now() + limitMs;
  await orStop('no-namespaces', () => makePrivateSystem([task.helper, task.commandLine, process.execPath]));
  expectPacketFilter();
  const credentials = { username: 'self-test', password: randomBytes(12).toString('hex') };
  const account: Omit<ServiceFacts, 'gateway'> = {
    email: 'self-test@self-test.test',
    code: String(randomInt(100_000, 1_000_000)),
    token: randomBytes(24).toString('hex'),
    routeDomains: [names.where],
  };
  const world = await orStop('no-namespaces', () => createWorld({ credentials, service: account }));
  onClose(() => world.close());
  writeFileSync(places.authority, world.authority);
  const around = surroundingsOf(world, facts);
  onClose(() => around.watch?.close());
  facts['IPv6'] = String(world.hasIpv6);
  tell({ kind: 'ready' });

  const installed: Engine[] = isInstalled('openconnect') ? ['openconnect', 'own'] : ['own'];
  const engines = task.engine === undefined ? installed : [task.engine];
  facts['engines'] = engines.join(', ');
  const env = environment();
  await runWithProduct({
    around,
    account,
    commandLine: task.commandLine,
    profile: places.profile,
    version: task.version,
    env,
    engines,
    startHelper: (engine) =>
      startHelper({
        program: task.helper,
        args: ['--socket', places.socket, '--state-dir', places.state]
          .concat('--engine', engine)
          .concat('--control-group', task.controlGroup),
        env,
        lines: helperLog,
      }),
    coreLog,
    deadline,
    tell,
    onClose,
  });
}

const reached: Places = {
  ...addresses,
  gateway: { addresses: Object.values(addresses.gateway), port: ports.gateway },
  router: addresses.router.ipv4,
  neighbours: [{ host: addresses.neighbour.ipv4, port: ports.http }],
};

function surroundingsOf(world: World, facts: Record<string, string>): Surroundings {
  const { hasIpv6, farSide, hardware } = world;
  const wire = openWatch(world, facts);
  const ends = {
    computer: hardware.uplink,
    neighbour: hardware.wire,
    from: { ipv4: addresses.neighbour.ipv4, ipv6: hasIpv6 ? addresses.neighbour.ipv6 : undefined },
  };
  return {
    places: reached,
    hasIpv6,
    hasIpv6Outside: hasIpv6,
    answersOutside: true,
    isShared: false,
    isOnThisComputer: false,
    reachedOutside: { host: addresses.host.ipv4, port: ports.http },
    farSide,
    computer: linuxComputer({ uplink: devices.uplink, engineUser: 'waymaker-engine' }),
    watch: wire?.watch,
    hostileRoutes: hostileRoutes(hasIpv6),
    askAsNeighbour:
      wire &&
      (async (pair) => {
        const probes = neighbourProbes(pair, ends);
        const frames = await observeBy(wire.watch)(() => sendToComputer(wire.far, probes));
        const answered = probes.filter(({ isAnswer }) => frames.some(isAnswer));
        return { tried: probes.map(({ name }) => name), answered: answered.map(({ name }) => name) };
      }),
    neighbourObservers: ['uplink'],
    whyNoNeighbour: 'no-observer',
    whyNoHost: 'no-observer',
  };
}

/** Nearer than any default route, by way of the local network. */
const hostileRoutes = (hasIpv6: boolean): Route[] => [
  ...[`${addresses.host.ipv4}/32`, '203.0.113.0/24', '0.0.0.0/1', '128.0.0.0/1'].map((prefix) => ({
    prefix,
    via: addresses.router.ipv4,
  })),
  ...(hasIpv6 ? [`${addresses.host.ipv6}/128`, '2001:db8:3::/48', '::/1', '8000::/1'] : []).map((prefix) => ({
    prefix,
    via: addresses.router.ipv6,
  })),
];

function openWatch(world: World, facts: Record<string, string>) {
  try {
    const { near, far } = world.openWire();
    const watch = watchUplink({ near, far, from: world.hardware.uplink });
    return { watch, far };
  } catch (error) {
    facts['observer'] = error instanceof Error ? error.message : String(error);
    return undefined;
  }
}

/** Nothing of the person's own session: no bus, no keychain, no proxy, and names of folders that are ours. */
const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  LANG: 'C.UTF-8',
  HOME: places.home,
  TMPDIR: places.temporary,
  WAYMAKER_USER_DATA: places.profile,
  WAYMAKER_API_URL: `http://${names.service}`,
  WAYMAKER_HELPER_SOCKET: places.socket,
  NODE_EXTRA_CA_CERTS: places.authority,
  ...(process.env['NODE_COMPILE_CACHE'] !== undefined && {
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
  }),
});

/** Some kernels are without it, or have it in a module that is not installed. */
function expectPacketFilter(): void {
  const table = 'inet waymaker_self_test';
  const { status, stderr, error } = spawnSync('nft', ['-f', '-'], {
    input: `table ${table} { chain output { type filter hook output priority 0; }; }\ndelete table ${table}\n`,
    encoding: 'utf8',
  });
  // A program that ends before it has read everything is an error of its own, but what it says is the reason.
  if (status !== 0)
    throw new Stopped('no-packet-filter', status === null ? String(error?.message) : stderr.trim());
}

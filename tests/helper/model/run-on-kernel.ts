import { execFileSync } from 'node:child_process';
import { readFileSync, readSync } from 'node:fs';
import type { Accounts } from '../../../helper/linux/callers/accounts.ts';
import type { DnsPort } from '../../../helper/system/ports/dns-port.ts';
import type { OpenedDevice } from '../../../helper/system/ports/tunnel-device-port.ts';
import { readRouting } from '../../../helper/modes/read-routing.ts';
import { createLog } from '../../../helper/log.ts';
import type { PacketSocket } from '../../../src/main/self-test/checks/packet-socket.ts';
import { openPacketSocket } from '../../../src/main/self-test/linux/sockets.ts';
import { uplink } from '../../lab/linux/model/linux-model.ts';
import type { Outcome, RecordedCall } from '../../lab/linux/model/recorded-call.ts';
import { createMemoryJournal, portsWithoutPrograms } from '../../lab/machine/ports-without-programs.ts';
import { kernelCalls, recordKernelCalls } from './kernel-calls.ts';
import { mutants } from './mutants.ts';
import { sendProbe } from './send-probe.ts';
import { gatewayPort, gateways, probes, users, walk, type Step } from './walk.ts';

/**
 * A program for a network namespace of its own: goes through the walk with the helper's real adapter, once as it is and
 * once with each mistake that is named, and prints what it has asked of the kernel and where the kernel has sent
 * packets.
 */

export interface StepOnKernel {
  name: string;
  calls: RecordedCall[];
  /** Of each probe, in their order. */
  outcomes: Outcome[];
  /** What the adapter has said about a check, or the error with which it has refused. */
  answer: boolean | string;
}

export interface WalkOnKernel {
  mutant: string | undefined;
  uplinkIndex: number;
  steps: StepOnKernel[];
  isAsBefore: boolean;
}

const ip = (...words: string[]) => execFileSync('ip', words, { encoding: 'utf8' });
const nft = (...words: string[]) => execFileSync('nft', words, { encoding: 'utf8' });

function makeMachine(): void {
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', uplink.name, 'type', 'veth', 'peer', 'name', 'far');
  for (const device of [uplink.name, 'far']) ip('link', 'set', device, 'addrgenmode', 'none');
  ip('link', 'set', 'far', 'up');
  // Without ARP, a packet is seen at once, whether somebody has its address or not.
  ip('link', 'set', uplink.name, 'arp', 'off', 'up');
  for (const { address, length, router } of [uplink.ipv4, uplink.ipv6]) {
    ip('address', 'add', `${address}/${length}`, 'dev', uplink.name);
    ip('route', 'add', 'default', 'via', router, 'dev', uplink.name);
  }
}

/** What a mistake has left. */
function cleanMachine(): void {
  nft('flush', 'ruleset');
  for (const family of ['-4', '-6']) {
    for (const line of ip(family, 'rule', 'show').split('\n')) {
      const priority = /^(51\d\d):/.exec(line)?.[1];
      if (priority !== undefined) ip(family, 'rule', 'del', 'priority', priority);
    }
    for (const table of ['5187', '5188', '5189']) {
      try {
        ip(family, 'route', 'flush', 'table', table);
      } catch {
        // A table that was never used.
      }
    }
  }
  if (readFileSync('/proc/self/net/dev', 'utf8').includes('wm0:')) ip('link', 'del', 'wm0');
}

const snapshot = () =>
  [
    ...['-4', '-6'].flatMap((family) => [
      ip(family, 'rule', 'show'),
      ip(family, 'route', 'show', 'table', 'all'),
    ]),
    nft('list', 'ruleset'),
    readFileSync('/proc/self/net/dev', 'utf8')
      .match(/^ *\w+:/gm)
      ?.join(' '),
  ].join('\n');

const firstPort = 20_000;

/** The probe whose packet this is; undefined if it is another packet. `header`: the bytes in front of it. */
function probeOf(frame: Buffer, header: number): number | undefined {
  const packet = frame.subarray(header);
  const version = (packet[0] ?? 0) >> 4;
  const transport = version === 4 ? ((packet[0] ?? 0) & 15) * 4 : 40;
  const protocol = version === 4 ? packet[9] : packet[6];
  if (packet.length < transport + 4 || (protocol !== 6 && protocol !== 17)) return undefined;
  const index = packet.readUInt16BE(transport) - firstPort;
  return index >= 0 && index < probes.length ? index : undefined;
}

function seenBy(socket: PacketSocket, header: number): number[] {
  const seen: number[] = [];
  for (let frame = socket.next(); frame; frame = socket.next()) {
    const probe = probeOf(frame, header);
    if (probe !== undefined) seen.push(probe);
  }
  if (socket.lost() > 0) throw new Error('packets were lost before they were seen');
  return seen;
}

/** Sends all probes; who looks at the devices is not the helper. */
function outcomesNow(tunnel: OpenedDevice | undefined): Outcome[] {
  const outside = openPacketSocket(uplink.name);
  const inside = tunnel && openPacketSocket('wm0');
  try {
    // A packet leaves within the call that sends it: neither device has a queue.
    for (const [index, probe] of probes.entries()) sendProbe(probe, firstPort + index);
    const outcomes = probes.map((): Outcome => 'nowhere');
    for (const probe of seenBy(outside, 14)) outcomes[probe] = 'uplink';
    const inTunnel = inside ? seenBy(inside, 0) : [];
    for (const probe of inTunnel) outcomes[probe] = 'tunnel';
    // As the engine does: a device whose ring is full takes no more packets.
    const buffer = Buffer.alloc(65_536);
    if (typeof tunnel?.inherited === 'number')
      for (let read = 0; read < inTunnel.length; read += 1) readSync(tunnel.inherited, buffer);
    return outcomes;
  } finally {
    outside.close();
    inside?.close();
  }
}

const accounts: Accounts = {
  engine: () => Promise.resolve({ uid: users.engine, gid: users.engine }),
  proxy: () => Promise.resolve({ uid: users.proxy, gid: users.proxy }),
  known: {
    engine: { uid: users.engine, gid: users.engine },
    proxy: { uid: users.proxy, gid: users.proxy },
  },
};

/** Resolvers are files of the whole machine, and no part of the model. */
const noDns: DnsPort = {
  undoSchema: { parse: () => ({}) } as unknown as DnsPort['undoSchema'],
  prepare: () => Promise.resolve(undefined),
  prepareAgain: () => Promise.resolve(undefined),
  isSettable: () => true,
  originalServers: () => Promise.resolve([]),
  rivalServers: () => Promise.resolve([]),
  set: () => Promise.resolve(),
  verify: () => Promise.resolve('in-force'),
  watch: () => () => undefined,
  clear: () => Promise.resolve(),
  leftOver: () => Promise.resolve([]),
  undo: () => Promise.resolve(),
};

recordKernelCalls();
const [
  { createCoordinator },
  { createTunnelDevice },
  { createRouter },
  { createPacketFilter },
  { createPrefixTables },
  { createUplink },
  { endTunnelConnections },
] = await Promise.all([
  import('../../../helper/system/coordinator.ts'),
  import('../../../helper/linux/routing/tunnel-device.ts'),
  import('../../../helper/linux/routing/router.ts'),
  import('../../../helper/linux/nftables/packet-filter.ts'),
  import('../../../helper/linux/routing/prefix-tables.ts'),
  import('../../../helper/linux/routing/uplink.ts'),
  import('../../../helper/linux/routing/tunnel-connections.ts'),
]);

/** Nobody else changes this machine, so nothing is watched: only a check looks, when it is asked for. */
const unwatched = { watch: () => () => undefined };

function createHelper() {
  const log = createLog(() => undefined);
  const { run } = kernelCalls;
  const monitor = {
    subscribe: () => () => undefined,
    onRemoval: () => undefined,
    quietly: <Result>(task: () => Promise<Result>) => task(),
    watchNexthops: () => undefined,
  };
  const parts = { run, accounts, monitor, log, tables: createPrefixTables({ run, monitor }) };
  return createCoordinator({
    ports: {
      ...portsWithoutPrograms(),
      device: { ...createTunnelDevice(parts), ...unwatched },
      router: { ...createRouter(parts), ...unwatched },
      filter: { ...createPacketFilter(parts), ...unwatched },
      dns: noDns,
      uplink: createUplink(parts),
      connections: { end: (addresses) => endTunnelConnections(run, log, addresses) },
      filterOutlastsReboot: false,
    },
    journal: createMemoryJournal({ entry: undefined }),
    log,
  });
}

async function takeStep(helper: ReturnType<typeof createHelper>, step: Step): Promise<boolean | string> {
  switch (step.kind) {
    case 'apply':
      await helper.apply({
        gateway: { host: 'gw.example.net', port: gatewayPort },
        address: gateways[0],
        routing: readRouting(step.routing),
        killSwitch: true,
        owner: String(users.person),
      });
      return true;
    case 'configure':
      await helper.configure(step.configuration);
      return true;
    case 'route':
      return await helper.route({ routing: readRouting(step.routing) });
    case 'move':
      await helper.moveTo(step.gateway);
      return true;
    case 'verify':
      return await helper.verify();
    case 'release':
      await helper.release({ keepBlocking: false });
      return true;
    default:
      return step satisfies never;
  }
}

async function goThrough(mutant: string | undefined): Promise<WalkOnKernel> {
  kernelCalls.alter = (mutant === undefined ? undefined : mutants[mutant]) ?? ((call) => [call]);
  kernelCalls.taken();
  const before = snapshot();
  const helper = createHelper();
  let tunnel: OpenedDevice | undefined;
  const steps: StepOnKernel[] = [];
  for (const [name, step] of Object.entries(walk)) {
    if (step.kind === 'release') {
      tunnel?.close();
      tunnel = undefined;
    }
    const answer = await takeStep(helper, step).catch(String);
    if (step.kind === 'apply') {
      tunnel = helper.device.open();
      tunnel.attach(null);
    }
    const hasTunnel = readFileSync('/proc/self/net/dev', 'utf8').includes('wm0:');
    steps.push({
      name,
      calls: kernelCalls.taken(),
      outcomes: outcomesNow(hasTunnel ? tunnel : undefined),
      answer,
    });
  }
  const isAsBefore = snapshot() === before;
  cleanMachine();
  const uplinkIndex = Number(/^\d+/.exec(ip('-oneline', 'link', 'show', uplink.name))?.[0]);
  return { mutant, uplinkIndex, steps, isAsBefore };
}

makeMachine();
for (const mutant of [undefined, ...process.argv.slice(2)])
  process.stdout.write(`${JSON.stringify(await goThrough(mutant))}\n`);
process.exit(0);

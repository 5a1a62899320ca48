import { setImmediate } from 'node:timers/promises';
import type { Routing } from '#shared/tunnel/state.ts';
import { readRouting } from '../../../../../helper/modes/read-routing.ts';
import { createLog } from '../../../../../helper/log.ts';
import type { WindowsCalls } from '../../../../../helper/windows/calls/windows-calls.ts';
import { filterProvider } from '../../../../../helper/windows/identifiers.ts';
import {
  connectionOf,
  configurationWith,
  startHelper,
  tunnelResolver,
  type Disk,
} from './helper-on-machine.ts';
import { ethernet, localRules, Machine, policyRules, wifi } from './machine.ts';
import { failuresOf, leaksOf, linkFailuresOf } from './promises.ts';
import { Life } from './helper-life.ts';
import { makeKey } from './registry-tree.ts';

/** What somebody else does while the tunnel is up. */
export const othersActs = [
  'nothing',
  'deletes our filters',
  'deletes our routes',
  'deletes our rule for names',
  'sets policies for names',
  'removes the adapter',
  'moves to another network',
  // And nobody is told of what has changed meanwhile.
  'lets the machine sleep',
] as const;
type OthersAct = (typeof othersActs)[number];

export interface Scenario {
  hasIpv6: boolean;
  hasPolicies: boolean;
  /** The gateway assigns other addresses after a while. */
  isReaddressed: boolean;
  /** Another program's filters permit everything, for good. */
  othersPermit: boolean;
  killSwitch: boolean;
  routings: readonly Routing[];
  act: OthersAct;
  end: 'release' | 'release, still blocked' | 'crash' | 'reboot' | 'shutdown';
  /** The helper dies after this many changes; undefined: it does not. */
  diesAfter?: number | undefined;
}

/**
 * Runs a scenario on the model; what was promised and not kept. `change` makes another adapter of the helper's calls.
 */
export async function run(
  scenario: Scenario,
  change: (calls: WindowsCalls) => WindowsCalls = (calls) => calls,
): Promise<string[]> {
  const found: string[] = [];
  const machine = new Machine(scenario.hasIpv6);
  const twin = new Machine(scenario.hasIpv6);
  for (const each of [machine, twin]) prepare(each, scenario);
  const disk: Disk = {};
  const log = createLog(() => undefined);
  let life = new Life();
  let helper = startHelper(machine, disk, { log, life, change });
  let promised: Routing[] = [];
  let isKept = false;
  let changes = 0;
  const look = (call: string) => {
    const leaks = promised.length > 0 ? leaksOf(machine, promised) : [];
    if (isKept && leaks.length > 0) found.push(`after ${call}: ${leaks[0]} leaves`);
    isKept ||= promised.length > 0 && leaks.length === 0;
  };
  machine.onCall = (call) => {
    look(call);
    changes += 1;
    if (changes === scenario.diesAfter) {
      life.isOver = true;
      throw new Error('the helper dies');
    }
  };
  const [first, ...others] = scenario.routings;
  if (!first) throw new Error('a scenario without a routing');
  try {
    promised = [first];
    await helper.apply(connectionOf(first, scenario.killSwitch));
    if (!isKept) found.push(`applied: ${leaksOf(machine, promised)[0]} leaves`);
    await helper.configure(configurationWith());
    if (!(await helper.verify())) found.push('not all is in force');
    found.push(...stateProblems(machine, first, scenario.hasIpv6));
    if (scenario.isReaddressed) {
      await helper.configure(configurationWith(77));
      found.push(
        ...stateProblems(machine, first, scenario.hasIpv6).map((problem) => `other addresses: ${problem}`),
      );
      const [old] = machine.ip.addresses.filter(({ address }) => address === '10.9.0.2');
      if (old) found.push('the address of before stays');
    }
    for (const routing of others) {
      promised.push(routing);
      await helper.route({ routing: readRouting(routing) });
      promised = [routing];
      look('the change');
      found.push(...stateProblems(machine, routing, scenario.hasIpv6));
    }
    const last = others.at(-1) ?? first;
    if (scenario.act !== 'nothing') {
      isKept = scenario.act !== 'deletes our filters' && isKept;
      const stop = helper.watchUplink(
        () => ['198.51.100.2'],
        () => undefined,
      );
      act(machine, scenario.act);
      actOnTwin(twin, scenario.act);
      if (scenario.act === 'lets the machine sleep') await helper.lookAgain();
      // The watches tell the coordinator, which then looks, one after the other.
      for (let turn = 0; turn < 20; turn += 1) {
        await setImmediate();
        await helper.verify();
      }
      stop();
      const problems = stateProblems(machine, last, scenario.hasIpv6);
      found.push(...problems.map((problem) => `others: ${problem}`));
      look("others' change");
    }
  } catch (error) {
    if (!life.isOver) throw error;
  }

  const last = promised;
  const isExpectedToHold = isKept && scenario.killSwitch && !life.isOver;
  const recover = async () => {
    life.isOver = true;
    life = new Life();
    promised = isExpectedToHold ? last : [];
    helper = startHelper(machine, disk, { log, life, change });
    machine.onCall = look;
    const recovery = await helper.recover();
    if (recovery.kind === 'connection' && !recovery.blocked) found.push('recovered, and not blocked');
  };
  const expectClosed = (when: string) => {
    if (isExpectedToHold) found.push(...leaksOf(machine, last).map((leak) => `${when}: ${leak}`));
    found.push(...linkFailuresOf(machine).map((failure) => `${when}: ${failure}`));
  };
  if (!life.isOver && scenario.end === 'release, still blocked') {
    const { blocked } = await helper.release({ keepBlocking: true });
    if (!life.isOver && !blocked) found.push('released, and not blocked');
    if (!life.isOver) found.push(...leaksOf(machine, last).map((leak) => `released, still blocked: ${leak}`));
  } else if (!life.isOver && scenario.end === 'crash') {
    machine.helperEnds();
    expectClosed('without a helper');
    await recover();
  } else if (!life.isOver && (scenario.end === 'reboot' || scenario.end === 'shutdown')) {
    // Windows waits for the helper's end before it ends the network.
    if (scenario.end === 'shutdown') {
      // Without the kill switch, everything goes out as before once the helper has ended.
      if (!scenario.killSwitch) promised = [];
      await helper.release({ keepBlocking: scenario.killSwitch, isAwaited: true });
    }
    if (!life.isOver && scenario.end === 'shutdown') expectClosed('while the machine shuts down');
    machine.reboot();
    // No program of ours runs yet, such as the proxy.
    if (last.every(({ mode }) => mode !== 'pac')) expectClosed("at the driver's start");
    machine.filteringEngineStarts();
    expectClosed('before the helper starts');
    await recover();
  }
  promised = [];
  if (!life.isOver) await helper.release({ keepBlocking: false });
  if (life.isOver) {
    machine.helperEnds();
    await recover();
    promised = [];
    await helper.release({ keepBlocking: false });
  }
  machine.helperEnds();
  for (const [name, value] of Object.entries(machine.snapshot())) {
    const wanted = twin.snapshot()[name as keyof ReturnType<Machine['snapshot']>];
    if (JSON.stringify(value) !== JSON.stringify(wanted))
      found.push(`not as found: ${name} ${JSON.stringify(value)} instead of ${JSON.stringify(wanted)}`);
  }
  if (machine.isResolverStale) found.push('the DNS client only knows old settings');
  if (disk.entry) found.push('the journal is not empty');
  return [...new Set(found)];
}

function stateProblems(machine: Machine, routing: Routing, hasIpv6: boolean): string[] {
  const problems = failuresOf(machine, routing, hasIpv6);
  const asked = machine.resolvers().join();
  const wanted = routing.mode === 'pac' ? '192.168.7.1,192.0.2.53' : tunnelResolver;
  if (asked !== wanted) problems.push(`names are asked of ${asked}`);
  if (machine.isResolverStale) problems.push('the DNS client only knows old settings');
  return problems;
}

function prepare(machine: Machine, { hasPolicies, othersPermit }: Scenario): void {
  if (hasPolicies) makeKey(machine.tree, policyRules);
  if (!othersPermit) return;
  const session = machine.calls.filtering.open('static');
  const sublayer = '99999999-0000-4000-8000-000000000001';
  const provider = '99999999-0000-4000-8000-000000000002';
  session.addProvider({ key: provider, name: 'another' });
  session.addSublayer({ key: sublayer, name: 'another', provider, weight: 0x8000 });
  for (const [index, layer] of (['connect-4', 'connect-6', 'accept-4', 'accept-6'] as const).entries())
    session.addFilter({
      key: `99999999-0000-4000-8000-00000000001${index}`,
      name: 'another',
      provider,
      sublayer,
      layer,
      lifetime: 'persistent',
      action: 'permit',
      isFinal: true,
      weight: 15,
      conditions: [],
    });
}

function act(machine: Machine, what: OthersAct): void {
  switch (what) {
    case 'nothing':
      return;
    case 'deletes our filters':
      for (const [key, { provider }] of machine.engine.state.filters)
        if (provider === filterProvider) machine.engine.state.filters.delete(key);
      break;
    case 'deletes our routes':
      machine.ip.routes = machine.ip.routes.filter(
        ({ metric, luid }) => luid !== machine.tunnel && metric !== 22_349,
      );
      break;
    case 'deletes our rule for names':
      for (const key of machine.tree.keys()) if (key.startsWith(`${localRules}\\`)) machine.tree.delete(key);
      break;
    case 'removes the adapter':
      machine.removeTunnel();
      break;
    case 'lets the machine sleep':
      machine.whileNobodyIsTold(() => {
        machine.removeTunnel();
        actOnTwin(machine, what);
      });
      return;
    case 'sets policies for names':
    case 'moves to another network':
      actOnTwin(machine, what);
      return;
    default:
      what satisfies never;
  }
  machine.othersChanged();
}

/** What somebody else does that has nothing to do with us. */
function actOnTwin(machine: Machine, what: OthersAct): void {
  if (what === 'sets policies for names') makeKey(machine.tree, policyRules);
  if (what === 'moves to another network' || what === 'lets the machine sleep') {
    machine.addInterface(wifi, '00000000-0000-4000-8000-000000000003', 35);
    machine.detach(ethernet);
    machine.joinNetwork(wifi, '44');
  }
  machine.othersChanged();
}

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { restoreSystem } from '../../../../helper/daemon.ts';
import { createLog } from '../../../../helper/log.ts';
import type { HelperOptions } from '../../../../helper/options.ts';
import { createCoordinator } from '../../../../helper/system/coordinator.ts';
import { createListJournal } from '../../../../helper/system/journal/list-journal.ts';
import type { Platform } from '../../../../helper/system/ports/platform.ts';
import type { Routing } from '#shared/tunnel/state.ts';
import { untilTestEnds } from '../support/until-test-ends.ts';
import { configurationWith, connectionOf, portsOn } from './model/helper-on-machine.ts';
import { Machine, policyRules } from './model/machine.ts';
import { Life, mortal } from './model/helper-life.ts';
import { makeKey } from './model/registry-tree.ts';

/** `waymaker restore` on the model of Windows, with the journal on a real disk. */

const routings: readonly Routing[] = [
  { mode: 'global', localNetwork: false },
  { mode: 'ip', policy: 'include', routeIps: ['203.0.113.0/24', '2001:db8:aaaa::/48'], localNetwork: true },
  { mode: 'pac', routeDomains: ['example.org'], blockedDomains: [] },
];
const log = createLog(() => undefined);

const notAsked = () => {
  throw new Error('a restore does not ask for this');
};
const platformOf = (machine: Machine, isLocked = false): Platform => ({
  options: {
    usual: { socket: '', stateDirectory: '', allowedGroup: '' },
    groupName: /^/,
    further: { schema: notAsked as never, defaults: {} },
  },
  createPorts: () => portsOn(machine, { log }),
  createCallerIdentity: notAsked,
  lockDirectory: async () => !isLocked,
  privateFiles: { read: notAsked, create: notAsked },
  findSupervisor: notAsked,
});

const optionsOf = (stateDirectory: string): HelperOptions => ({
  socket: path.join(stateDirectory, 'nobody-listens'),
  stateDirectory,
  allowedUsers: [],
  allowedGroup: '',
  engine: 'own',
  isRestore: true,
  isDisconnect: false,
  ofSystem: {},
});

function temporary() {
  const directory = mkdtempSync(path.join(tmpdir(), 'waymaker-restore-'));
  return { directory, [Symbol.dispose]: () => rmSync(directory, { recursive: true }) };
}

/** A machine on which a helper with the kill switch on has died, maybe with its journal, and one that had none. */
async function machinesAfter(routing: Routing, stateDirectory: string) {
  const [machine, twin] = [new Machine(true), new Machine(true)];
  for (const each of [machine, twin]) makeKey(each.tree, policyRules);
  const life = new Life();
  const ports = untilTestEnds(portsOn(machine, { log, life, calls: mortal(machine.calls, life) }));
  const journal = createListJournal(stateDirectory, ports.dns.undoSchema);
  const helper = createCoordinator({ ports, journal, log });
  await helper.recover();
  await helper.apply(connectionOf(routing, true));
  await helper.configure(configurationWith());
  life.isOver = true;
  machine.helperEnds();
  return { machine, twin };
}

test.each(routings)(
  'restore undoes all that a dead helper has left of mode $mode, and nothing else',
  async (routing) => {
    using state = temporary();
    const { machine, twin } = await machinesAfter(routing, state.directory);
    expect(machine.snapshot()).not.toEqual(twin.snapshot());
    await restoreSystem(optionsOf(state.directory), platformOf(machine));
    expect(machine.snapshot()).toEqual(twin.snapshot());
    expect(machine.isResolverStale).toBe(false);
    expect(readdirSync(state.directory)).not.toContain('journal.json');
  },
);

test('after a reboot, too, and where the journal has been lost with the disk', async () => {
  const [everything] = routings;
  if (!everything) throw new Error('no routing');
  for (const isLost of [false, true]) {
    using state = temporary();
    const { machine, twin } = await machinesAfter(everything, state.directory);
    machine.reboot();
    machine.filteringEngineStarts();
    expect(machine.snapshot().filters).not.toEqual([]);
    if (isLost) for (const file of readdirSync(state.directory)) rmSync(path.join(state.directory, file));
    await restoreSystem(optionsOf(state.directory), platformOf(machine));
    expect(machine.snapshot()).toEqual(twin.snapshot());
  }
});

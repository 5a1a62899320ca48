import type { MacosCalls } from '../../../../../helper/macos/calls/macos-calls.ts';
import { createNetworkPorts } from '../../../../../helper/macos/network-ports.ts';
import type { Log } from '../../../../../helper/log.ts';
import { createCoordinator } from '../../../../../helper/system/coordinator.ts';
import type { JournalEntry } from '../../../../../helper/system/journal/journal-entry.ts';
import type { Journal } from '../../../../../helper/system/journal/journal-file.ts';
import type { Ports } from '../../../../../helper/system/ports/ports.ts';
import type { SystemAdapter } from '../../../../../helper/system/system-adapter.ts';
import {
  createMemoryJournal,
  portsWithoutPrograms,
  type MemoryDisk,
} from '../../../../lab/machine/ports-without-programs.ts';
import { untilTestEnds } from '../../support/until-test-ends.ts';
import type { MacosModel, ModelProcess } from '../../../../lab/darwin/model/macos-model.ts';

export const users = { engine: 301, proxy: 302, person: 501 } as const;

/** What a mutant does in another way. */
export interface Alterations {
  alterCalls?: (calls: MacosCalls) => MacosCalls;
  alterPorts?: (ports: Ports) => Ports;
  alterJournal?: (journal: Journal<JournalEntry>) => Journal<JournalEntry>;
}

/** A helper with the real coordinator and the real ports of the network on a model of macOS. */
export function startModelledHelper(
  model: MacosModel,
  disk: MemoryDisk,
  log: Log,
  {
    alterCalls = (calls) => calls,
    alterPorts = (ports) => ports,
    alterJournal = (journal) => journal,
  }: Alterations = {},
): { adapter: SystemAdapter; ports: Ports; process: ModelProcess } {
  const process = model.startProcess();
  const network = createNetworkPorts({
    calls: alterCalls(process.calls),
    users: () => Promise.resolve(users),
    token: process.token,
    log,
  });
  const ports = untilTestEnds(alterPorts({ ...network, ...portsWithoutPrograms() }));
  return {
    adapter: createCoordinator({ ports, journal: alterJournal(createMemoryJournal(disk)), log }),
    ports,
    process,
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { writeDevelopmentSeed } from './development-seed.ts';
import type { Place } from './place.ts';
import type { Ports } from './ports.ts';
import { whatTheLaboratoryLacks } from './requirements.ts';
import { startServiceProcess } from './service-process.ts';

/** Service and app on this machine, without a gateway: everything except a tunnel can be tried. */
export async function startOnThisMachine(running: AsyncDisposableStack, ports: Ports): Promise<Place> {
  const directory = await mkdtemp(path.join(tmpdir(), 'waymaker-'));
  running.defer(() => rm(directory, { recursive: true, force: true }));
  console.log('Starting the service …');
  await startServiceProcess(running, ports, { WAYMAKER_SEED_FILE: await writeDevelopmentSeed(directory) });
  const url = `http://127.0.0.1:${ports.service}`;
  return {
    apiUrl: url,
    consoleUrl: url,
    mailboxUrl: `http://127.0.0.1:${ports.mailbox}`,
    env: {},
    machine: undefined,
    publish: () => Promise.resolve(),
    hints: () => [`What works here  everything but a tunnel: ${whatTheLaboratoryLacks() ?? ''}`],
  };
}

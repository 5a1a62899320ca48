import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { names } from '../../tests/lab/addresses.ts';
import type { Seed } from '../../src/service/seed.ts';

const seed: Seed = {
  serverGroups: [
    {
      id: 'starter',
      name: 'Starter',
      isTrial: true,
      items: [
        {
          id: 'starter-laboratory',
          level: 1,
          servers: [
            { serverId: 'laboratory', name: 'Laboratory', domain: names.gateway },
            {
              serverId: 'untrusted',
              name: 'Laboratory, unknown certificate',
              domain: names.untrustedGateway,
            },
          ],
        },
      ],
    },
  ],
};

/** Writes what a new service offers in development: the laboratory's gateways. Returns the file's path. */
export async function writeDevelopmentSeed(directory: string): Promise<string> {
  const file = path.join(directory, 'seed.json');
  await writeFile(file, JSON.stringify(seed));
  return file;
}

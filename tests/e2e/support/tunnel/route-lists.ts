import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { names } from '../../../lab/network/addresses.ts';

/** What the service says belongs in the tunnel, by each way of routing. */
export const routed = {
  apps: ['com.example.browser', 'com.example.mail', 'com.example.absent'],
  prefixes: ['192.0.2.0/24', '198.51.100.0/24'],
  domains: ['routed.example', names.where],
  blockedDomains: ['ads.example'],
} as const;

/** Writes the lists as the service reads them; returns their folder. */
export async function writeRouteLists(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true });
  const lists = {
    'cn-ipv4-prefixes.txt': routed.prefixes,
    'route-domains.txt': routed.domains,
    'blocked-domains.txt': routed.blockedDomains,
  };
  for (const [name, lines] of Object.entries(lists)) {
    await writeFile(path.join(directory, name), lines.map((line) => `${line}\n`).join(''));
  }
  return directory;
}

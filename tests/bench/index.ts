import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../e2e/support/paths.ts';
import { createLab } from '../lab/lab.ts';
import { measureConnect } from './connect.ts';
import { measureConsole } from './console.ts';
import { measureIdle } from './idle.ts';
import { measureLogin } from './login.ts';
import { createOurs, createPeer, type Ours, type Peer } from './contenders.ts';
import { table, type Row } from './row.ts';
import { measureThroughput } from './throughput.ts';
import type { Lab } from '../lab/lab.ts';

/**
 * `npm run bench`: measures this product beside its peers in one run, prints a table and writes out/bench.json.
 * `npm run bench -- connect login` runs only the named groups.
 */

const inLab = (measure: (lab: Lab, ours: Ours, peer: Peer) => Promise<Row[]>) => async (): Promise<Row[]> => {
  await using lab = await createLab();
  const [ours, peer] = [await createOurs(lab), await createPeer(lab)];
  const rows = await measure(lab, ours, peer);
  await ours.end();
  return rows;
};

async function throughput(): Promise<Row[]> {
  await using ourLab = await createLab();
  await using peerLab = await createLab();
  const [ours, peer] = [await createOurs(ourLab), await createPeer(peerLab)];
  const rows = await measureThroughput({ lab: ourLab, rival: ours }, { lab: peerLab, rival: peer });
  await ours.end();
  return rows;
}

const groups: Record<string, () => Promise<Row[]>> = {
  connect: inLab(measureConnect),
  throughput,
  idle: inLab(measureIdle),
  login: measureLogin,
  console: measureConsole,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(groups, name));
if (unknown.length > 0) {
  console.error(`no such group: ${unknown.join(', ')}; there are ${Object.keys(groups).join(', ')}`);
  process.exit(2);
}
if (process.getuid?.() !== 0) {
  console.error('The benchmarks build network namespaces: run them as root.');
  process.exit(1);
}
// Whatever is measured is what is in the source now; a build of one's own choice is left as it is.
if (process.env['WAYMAKER_BUILD'] === undefined) {
  const { status } = spawnSync(process.execPath, [path.join(root, 'scripts/build.ts')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) process.exit(1);
}

const rows: Row[] = [];
for (const [name, measure] of Object.entries(groups)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`measuring: ${name} …`);
  rows.push(...(await measure()));
}
const file = path.join(root, 'out/bench.json');
mkdirSync(path.dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(rows, undefined, 2)}\n`);
console.log(`\n${table(rows)}`);

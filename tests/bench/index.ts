import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../e2e/support/host/paths.ts';
import { createLab, type Lab } from '../lab/lab.ts';
import { appRows, measureApp } from './app/app.ts';
import { appModeRows, measureAppMode } from './routing/app-mode.ts';
import { connectRows, measureConnect } from './tunnel/connect.ts';
import { consoleRows, measureConsole } from './console/lighthouse.ts';
import { createContenders, createOurs, createPeer, type Contenders } from './tunnel/contenders.ts';
import { appendToHistory, createRun, driftOf, readHistory } from './history.ts';
import { fastGatewayRows, measureFastGateway } from './tunnel/fast-gateway.ts';
import { fastGatewayOf } from './tunnel/gateways.ts';
import { failoverRows, measureFailover } from './tunnel/failover.ts';
import { idleRows, measureIdle } from './tunnel/idle.ts';
import { ipRows, measureIp } from './routing/ip.ts';
import { loginRows, measureLogin } from './console/login.ts';
import { measurePac, pacRows } from './routing/pac-decision.ts';
import { measurePackage, packageRows } from './app/package.ts';
import { measureProxy, proxyRows } from './routing/proxy.ts';
import { measureServers, serversRows } from './console/servers.ts';
import { measureService, serviceRows } from './service/service.ts';
import { tableOf, type Group, type Row } from './row.ts';
import { measureTestCost, testCostRows } from './test-cost.ts';
import { measureThroughput, throughputRows } from './tunnel/throughput.ts';

/**
 * `npm run bench`: measures this product beside its peers in one run. Each row is printed, and in out/bench.json, as
 * soon as it is known; at the end the run is added to history.jsonl, and what drifted since the last ones is named.
 * `npm run bench -- connect tunnel` measures only the groups and rows whose names begin so.
 */

type MeasureInLab = (
  lab: Lab,
  contenders: Contenders,
  isWanted: (row: string) => boolean,
) => AsyncIterable<Row>;

const inLab = (rows: readonly string[], measure: MeasureInLab): Group => ({
  rows,
  async *measure(isWanted) {
    await using lab = await createLab();
    const contenders = await createContenders(lab);
    yield* measure(lab, contenders, isWanted);
    await contenders.ours.end();
  },
});

/** Each in a laboratory of its own, so that both tunnels are up at once. */
async function* throughput(isWanted: (row: string) => boolean): AsyncGenerator<Row> {
  await using ourLab = await createLab();
  await using peerLab = await createLab();
  const [ours, peer] = [await createOurs(ourLab), await createPeer(peerLab)];
  yield* measureThroughput({ lab: ourLab, contender: ours }, { lab: peerLab, contender: peer }, isWanted);
  await ours.end();
}

/** The same with a gateway that is not the bottleneck. */
async function* fastGateway(): AsyncGenerator<Row> {
  await using ourLab = await createLab({ gateway: false });
  await using peerLab = await createLab({ gateway: false });
  const [ourGateway, peerGateway] = [await fastGatewayOf(ourLab), await fastGatewayOf(peerLab)];
  const ours = await createOurs(ourLab, ourGateway);
  const peer = await createPeer(peerLab, { gateway: peerGateway });
  yield* measureFastGateway(
    { lab: ourLab, contender: ours, gateway: ourGateway },
    { lab: peerLab, contender: peer, gateway: peerGateway },
    (text) => console.log(text),
  );
  await ours.end();
}

const groups: Record<string, Group> = {
  connect: inLab(connectRows, measureConnect),
  throughput: { rows: throughputRows, measure: throughput },
  'fast-gateway': { rows: fastGatewayRows, measure: fastGateway },
  failover: inLab(failoverRows, measureFailover),
  idle: inLab(idleRows, measureIdle),
  app: { rows: appRows, measure: measureApp },
  login: { rows: loginRows, measure: measureLogin },
  service: { rows: serviceRows, measure: measureService },
  console: { rows: consoleRows, measure: measureConsole },
  servers: { rows: serversRows, measure: measureServers },
  pac: { rows: pacRows, measure: measurePac },
  proxy: { rows: proxyRows, measure: measureProxy },
  ip: { rows: ipRows, measure: measureIp },
  'app-mode': { rows: appModeRows, measure: measureAppMode },
  package: { rows: packageRows, measure: measurePackage },
  tests: { rows: testCostRows, measure: measureTestCost },
};

const words = process.argv.slice(2);
const isWanted = (group: string, row: string) =>
  words.length === 0 || words.some((word) => group.startsWith(word) || row.startsWith(word));
const allNames = Object.entries(groups).flatMap(([group, { rows }]) => [group, ...rows]);
const unknown = words.filter((word) => !allNames.some((name) => name.startsWith(word)));
if (unknown.length > 0) {
  console.error(`no such group or row: ${unknown.join(', ')}; there are ${allNames.join(', ')}`);
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

const file = path.join(root, 'out/bench.json');
mkdirSync(path.dirname(file), { recursive: true });
const table = tableOf(Object.values(groups).flatMap(({ rows }) => rows));
console.log(table.head);
const rows: Row[] = [];
for (const [name, group] of Object.entries(groups)) {
  const wants = (row: string) => isWanted(name, row);
  if (!group.rows.some(wants)) continue;
  for await (const row of group.measure(wants)) {
    if (!wants(row.name)) continue;
    rows.push(row);
    console.log(table.line(row));
    writeFileSync(file, `${JSON.stringify(rows, undefined, 2)}\n`);
  }
}
const run = createRun(rows);
const drift = driftOf(run, readHistory());
appendToHistory(run);
console.log(
  drift.length === 0 ? '\nnothing drifted' : `\ndrifted by more than its noise:\n${drift.join('\n')}`,
);

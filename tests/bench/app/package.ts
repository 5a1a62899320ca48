import { copyFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { makeCore } from '../../../packaging/linux/core-package.ts';
import { root } from '../../e2e/support/host/paths.ts';
import { layMachine } from '../../helper/support/installed/installed-helper.ts';
import {
  createInstalledMachine,
  type InstalledMachine,
} from '../../helper/support/installed/installed-machine.ts';
import { createPackageMachine } from '../../helper/support/installed/package-machine.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { startGapMeter } from '../../lab/packets/gaps.ts';
import { eventually, words, type ProcessResult } from '../../lab/runs/process.ts';
import { residentMemory } from '../tunnel/idle.ts';
import { row, type Row } from '../row.ts';
import { packageOptions } from '../../helper/support/installed/package-options.ts';

export const packageRows = [
  'package-size',
  'install-seconds',
  'installed-helper-rss',
  'upgrade-gap',
] as const;

const rounds = 5;

/**
 * What the released package may take, which stands in the peer's place: MB to download; seconds from `dpkg --install`
 * to a helper that listens; MB of memory of that helper while nobody uses it (a bare Node takes 44); seconds in which
 * no packet comes back through the tunnel while an upgrade replaces the helper.
 */
const limits = {
  'package-size': 40,
  'install-seconds': 10,
  'installed-helper-rss': 60,
  'upgrade-gap': 3,
} as const;

const units = {
  'package-size': 'MB',
  'install-seconds': 's',
  'installed-helper-rss': 'MB',
  'upgrade-gap': 's',
} as const;

export async function* measurePackage(isWanted: (row: string) => boolean): AsyncGenerator<Row> {
  const of = (name: (typeof packageRows)[number], ours: readonly number[]) =>
    row(name, { ours, peer: [limits[name]] }, { unit: units[name], better: 'lower' });
  if (isWanted('upgrade-gap')) yield of('upgrade-gap', await measureUpgrades());
  if (!packageRows.some((name) => name !== 'upgrade-gap' && isWanted(name))) return;
  const [file = ''] = await makeCore({
    ...(await packageOptions()),
    formats: ['deb'],
    folder: path.join(root, 'out/packages/bench'),
    compression: 'small',
  });
  if (isWanted('package-size')) yield of('package-size', [(await stat(file)).size / 1e6]);
  if (!isWanted('install-seconds') && !isWanted('installed-helper-rss')) return;
  await using installed = await createInstalledMachine('resolved', undefined, layMachine);
  await installed.machine.run(words('rm -f /usr/sbin/policy-rc.d'));
  await copyFile(file, installed.machine.file('/run/waymaker-core.deb'));
  const seconds: number[] = [];
  const memory: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const [taken, used] = await installOnce(installed);
    seconds.push(taken);
    memory.push(used);
  }
  yield of('install-seconds', seconds);
  yield of('installed-helper-rss', memory);
}

/** With the kill switch on, of a person who is connected. */
async function measureUpgrades(): Promise<number[]> {
  await using life = await createPackageMachine();
  const { user } = life.installed.net.lab;
  const succeed = async (what: Promise<ProcessResult>) => {
    const { code, stderr } = await what;
    if (code !== 0) throw new Error(stderr);
  };
  await succeed(life.apt(words('update')));
  await succeed(life.apt(words('install waymaker-core')));
  await life.installed.helper();
  await life.startCore();
  await succeed(life.waymaker(words('mode --kill-switch on')));
  await succeed(life.waymaker(words('connect')));
  const seconds: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = await life.installed.helper();
    const meter = await startGapMeter(user);
    await succeed(life.apt(words('install --reinstall waymaker-core')));
    if ((await life.installed.helper()) === before) throw new Error('the helper was not replaced');
    await eventually('the tunnel is back', async () => {
      const seen = (await user.probe.http4('back'))?.address;
      return seen === addresses.gateway.ipv4 || undefined;
    });
    seconds.push((await meter.end()).udp / 1000);
  }
  return seconds;
}

async function installOnce(installed: InstalledMachine): Promise<[seconds: number, rss: number]> {
  const { machine } = installed;
  const began = performance.now();
  await machine.run(words('dpkg --install /run/waymaker-core.deb'));
  const seconds = (performance.now() - began) / 1000;
  // By its number inside the machine, where the memory has to be read, too.
  const pid = await installed.helper();
  const used = await residentMemory(pid, machine.file('/proc'));
  await machine.run(words('dpkg --purge waymaker-core'));
  return [seconds, used];
}

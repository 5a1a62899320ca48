import { existsSync } from 'node:fs';
import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createLab, type Lab, type LabOptions } from './lab.ts';
import { controlGroupOf, removeCgroup, unifiedCgroups } from './machine/control-groups.ts';
import { fingerprint } from './machine/fingerprint.ts';
import type { Machine } from './machine/machine.ts';
import { endProcessesBeside, processesBeside } from './machine/processes.ts';
import { keeperFile, keeperVariable } from './machine/registry.ts';
import { eventually, words } from './runs/process.ts';

interface Kept {
  readonly lab: Lab;
  readonly families: LabOptions['gatewayFamilies'];
  /** What it was when nothing had happened in it. */
  readonly made: { state: readonly string[]; files: ReadonlySet<string>; pids: ReadonlySet<number> };
}

/** Tests use one at a time, seldom two. */
const maxIdle = 2;

/** Those that nobody uses; test files that share a process share them. */
const idle: Kept[] = [];

/**
 * A laboratory, as `createLab` makes it. Disposing puts it back as it was made and keeps it for the next one who asks
 * in this process, for to make one costs ten times as much. If anything is different then, it is removed.
 */
export async function takeLab(options: LabOptions = {}): Promise<Lab> {
  const keeper = process.env[keeperVariable];
  if (keeper === undefined) return createLab(options);
  const families = options.gatewayFamilies ?? 'ipv4';
  const at = idle.findIndex((one) => one.families === families);
  const kept = at < 0 ? await make(families, keeper) : idle.splice(at, 1)[0];
  if (!kept) throw new Error('unreachable');
  if (options.gateway !== false) await kept.lab.gateway.start(options.gateway);
  let isGivenBack = false;
  return {
    ...kept.lab,
    async [Symbol.asyncDispose]() {
      if (isGivenBack) return;
      isGivenBack = true;
      if (idle.length < maxIdle && (await isPutBack(kept).catch(() => false))) idle.push(kept);
      else await kept.lab[Symbol.asyncDispose]();
    },
  };
}

async function make(families: LabOptions['gatewayFamilies'], keeper: string): Promise<Kept> {
  const lab = await createLab({ gateway: false, gatewayFamilies: families });
  await writeFile(path.join(lab.directory, keeperFile), keeper);
  const pids = machinesOf(lab).flatMap(({ pid }) => processesBeside(pid).map((one) => one.pid));
  const files = new Set(await filesOf(lab));
  return { lab, families, made: { state: await stateOf(lab), files, pids: new Set(pids) } };
}

const machinesOf = ({ user, internet, gatewayMachine }: Lab) => [user, internet, gatewayMachine];

/** Ends and removes what was not there when it was made; false if it is not the same nevertheless. */
async function isPutBack({ lab, made }: Kept): Promise<boolean> {
  // Its mounts and rules stay on the user's machine.
  if (existsSync(path.join('/run/netns', lab.user.namespace.replace(/u$/, 'c')))) return false;
  await Promise.all([lab.gateway.reset(), lab.untrustedGateway.reset()]);
  for (const { pid } of machinesOf(lab)) await endProcessesBeside(pid, made.pids);
  // Servers that are not started anew send their last packets again for minutes, and a tunnel of the next one who has
  // this laboratory may have the address that these are for: they would count as what has come through.
  await Promise.all(machinesOf(lab).map((machine) => machine.exec(words('ss -tKH state connected'))));
  const group = path.join(await unifiedCgroups(), controlGroupOf(lab.user));
  await eventually('the control groups are empty', () => removeCgroup(group));
  for (const file of await filesOf(lab))
    if (!made.files.has(file)) await rm(path.join(lab.directory, file), { recursive: true, force: true });
  const state = await stateOf(lab);
  if (isDeepStrictEqual(state, made.state)) return true;
  await Promise.all(
    machinesOf(lab).map((machine, index) => restoreParameters(machine, made.state[index], state[index])),
  );
  return isDeepStrictEqual(await stateOf(lab), made.state);
}

/**
 * Gives the kernel's parameters back the values that they had; what a test does to these is no reason to make another.
 */
async function restoreParameters(machine: Machine, made = '', now = ''): Promise<void> {
  const present = new Set(now.split('\n'));
  const changed = made.split('\n').flatMap((line) => {
    const [, file = '', value = ''] = /^(ipv[46]\/[^:]+):(.*)$/.exec(line) ?? [];
    return file === '' || present.has(line) ? [] : [`echo '${value}' >${file}`];
  });
  await machine.run(['sh', '-c', ['cd /proc/sys/net', ...changed].join('; ')]);
}

/** Everything that a test could have changed and that another one could notice: of each machine, and of the whole. */
async function stateOf(lab: Lab): Promise<string[]> {
  const pids = machinesOf(lab).map(({ pid }) => processesBeside(pid).map((one) => one.pid));
  const certificates = [lab.gateway, lab.untrustedGateway].flatMap(({ certificate, authorityFile }) => [
    certificate.certificate,
    certificate.key,
    authorityFile,
  ]);
  const written = await Promise.all(certificates.map(async (file) => (await lstat(file)).mtimeMs));
  const machines = await Promise.all(machinesOf(lab).map((machine) => fingerprint(machine, lab.directory)));
  return [...machines, JSON.stringify([pids, written])];
}

/** Names of what is in its directory, without what is mounted there. */
async function filesOf({ directory }: Lab): Promise<string[]> {
  const top = await readdir(directory);
  const inside = await Promise.all(
    top
      .filter((name) => !/-(etc|cgroup)$/.test(name))
      .map(async (name) => {
        const file = path.join(directory, name);
        if (!(await lstat(file)).isDirectory()) return [];
        return (await readdir(file, { recursive: true })).map((below) => path.join(name, below));
      }),
  );
  return [...top, ...inside.flat()];
}

import { chmod, copyFile, cp, mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { takeLab } from '../../lab/kept-labs.ts';
import type { Lab } from '../../lab/lab.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { bootSystemd, type SystemdMachine } from '../../lab/machine/systemd-machine.ts';
import { installedNode } from '../support/installed/installed-helper.ts';

/** The command line's user service, under a real user manager of systemd. */

const root = path.resolve(import.meta.dirname, '../../..');
const status = z.object({ core: z.object({ kind: z.string(), pid: z.int() }) });

let lab: Lab;
let machine: SystemdMachine;
beforeAll(async () => {
  lab = await takeLab({ gateway: false });
  const tree = path.join(lab.directory, 'tree');
  await installCommandLine(tree);
  machine = await bootSystemd(lab.user, lab.directory, tree);
  // There is no login here that would make it.
  await machine.run(words('mkdir --mode=700 --parents /run/user/0'));
  await machine.run(words('systemctl start user@0.service'));
});
afterAll(async () => {
  await machine?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

/** As a package does, with Node in Electron's place, which takes the folder for what is in an archive. */
async function installCommandLine(tree: string): Promise<void> {
  const app = path.join(tree, 'opt/Waymaker/resources/app.asar');
  const [programs, units] = [path.join(tree, 'usr/bin'), path.join(tree, 'usr/lib/systemd/user')];
  const system = path.join(tree, 'etc/systemd/system');
  for (const folder of [app, programs, units, system]) await mkdir(folder, { recursive: true });
  await cp(path.join(root, 'out/main'), path.join(app, 'out/main'), { recursive: true });
  await copyFile(path.join(root, 'package.json'), path.join(app, 'package.json'));
  await symlink(path.join(root, 'node_modules'), path.join(app, 'node_modules'));
  await copyFile(process.execPath, path.join(tree, installedNode));
  const resources = path.join(root, 'resources/linux');
  await copyFile(path.join(resources, 'waymaker'), path.join(programs, 'waymaker'));
  await chmod(path.join(programs, 'waymaker'), 0o755);
  await copyFile(path.join(resources, 'waymaker.service'), path.join(units, 'waymaker.service'));
  for (const unit of ['console-getty.service', 'getty.target', 'systemd-logind.service', 'timers.target'])
    await symlink('/dev/null', path.join(system, unit));
}

const asUser = (argv: string) =>
  machine.exec(words(argv), { env: { XDG_RUNTIME_DIR: '/run/user/0', HOME: '/root' } });
const core = async () => status.parse(JSON.parse((await asUser('waymaker status --json')).stdout)).core;
const servicePid = async () =>
  Number((await asUser('systemctl --user show --property=MainPID --value waymaker')).stdout);

test('a command starts the user service, which comes back when it is killed', async () => {
  const first = await core();
  expect(first).toEqual({ kind: 'daemon', pid: await servicePid() });
  await asUser('systemctl --user kill --signal=KILL waymaker');
  const next = await eventually('another one runs', async () => {
    const pid = await servicePid();
    return pid > 0 && pid !== first.pid ? pid : undefined;
  });
  expect(await core()).toEqual({ kind: 'daemon', pid: next });
  expect((await asUser('systemctl --user stop waymaker')).code).toBe(0);
  expect((await asUser('systemctl --user is-active waymaker')).stdout.trim()).toBe('inactive');
});

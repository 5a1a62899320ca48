import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { takeLab } from '../../lab/kept-labs.ts';
import type { Lab } from '../../lab/lab.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { bootSystemd, type SystemdMachine } from '../../lab/machine/systemd-machine.ts';
import { installPrograms } from '../support/installed/installed-helper.ts';

/** The command line's user service, under a real user manager of systemd. */

const status = z.object({ core: z.object({ kind: z.string(), pid: z.int() }) });

let lab: Lab;
let machine: SystemdMachine;
beforeAll(async () => {
  lab = await takeLab({ gateway: false });
  const tree = path.join(lab.directory, 'tree');
  await installPrograms(tree);
  const units = path.join(tree, 'etc/systemd/system');
  await mkdir(units, { recursive: true });
  for (const unit of ['console-getty.service', 'getty.target', 'systemd-logind.service', 'timers.target'])
    await symlink('/dev/null', path.join(units, unit));
  machine = await bootSystemd(lab.user, lab.directory, tree);
  // There is no login here that would make it.
  await machine.run(words('mkdir --mode=700 --parents /run/user/0'));
  await machine.run(words('systemctl start user@0.service'));
});
afterAll(async () => {
  await machine?.[Symbol.asyncDispose]();
  await lab?.[Symbol.asyncDispose]();
});

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

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import {
  createInstalledMachine,
  unit,
  type InstalledMachine,
} from '../support/installed/installed-machine.ts';

/** `waymaker restore` on a machine whose systemd starts the helper again, as its unit says. */

let installed: InstalledMachine;
let initialSnapshot: string;

beforeAll(async () => {
  installed = await createInstalledMachine('resolved');
  await installed.helper();
  initialSnapshot = await installed.snapshot();
});

afterAll(async () => {
  await installed?.[Symbol.asyncDispose]();
});

const unitIs = async () =>
  (await installed.machine.run(words(`systemctl show --property=ActiveState --value ${unit}`))).trim();
const kill = () => installed.machine.run(words(`systemctl kill --signal=KILL ${unit}`));

async function expectRestored(): Promise<void> {
  expect(await installed.snapshot()).toBe(initialSnapshot);
  expect(await installed.net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
}

beforeEach(async () => {
  await installed.connect({ killSwitch: true });
  expect(await installed.net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
});

afterEach(async () => {
  await installed.machine.run(words(`systemctl start ${unit}`));
  await installed.helper();
  await (await installed.attach()).call('disconnect', {});
});

/** Until disposed, systemd starts the next helper only when it is asked: however long restoring takes. */
async function systemdWaits(): Promise<AsyncDisposable> {
  const { machine } = installed;
  const directory = `/run/systemd/system/${unit}.d`;
  const apply = (command: string) => machine.run(['sh', '-c', `${command} && systemctl daemon-reload`]);
  await apply(`mkdir -p ${directory} && printf '[Service]\\nRestartSec=1h\\n' > ${directory}/later.conf`);
  return { [Symbol.asyncDispose]: async () => void (await apply(`rm -r ${directory}`)) };
}

/** Files of the machine that say how far a slow restore is. */
const [waiting, go] = ['/run/restore-waits', '/run/restore-goes'];

/** Starts `waymaker restore`, whose work begins only when it is let: systemd's helper is there by then. */
async function restoreTooLate(...options: string[]) {
  const { machine } = installed;
  const slow = `
    import { existsSync, writeFileSync } from 'node:fs';
    if (process.argv.includes('--restore')) {
      writeFileSync('${waiting}', '');
      while (!existsSync('${go}')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    }`;
  await machine.run(['sh', '-c', `rm -f ${waiting} ${go} && cat > /run/slow.mjs`], { input: slow });
  // Otherwise the next helper could be there before restore has looked for one.
  await using _ = await systemdWaits();
  await kill();
  const restoring = machine.exec(['waymaker', 'restore', '--json', ...options], {
    env: { NODE_OPTIONS: '--import=/run/slow.mjs' },
  });
  await eventually(
    'it waits',
    async () => (await machine.exec(['test', '-e', waiting])).code === 0 || undefined,
  );
  // A start would wait, too.
  await machine.run(words(`systemctl restart ${unit}`));
  await installed.helper();
  expect(await installed.net.lab.user.seenFrom(), 'systemd’s helper goes on with the block').toBeUndefined();
  await machine.run(['touch', go]);
  return await restoring;
}

test('restore after the helper was killed undoes all, and the helper that systemd starts changes nothing', async () => {
  await using _ = await systemdWaits();
  const before = await installed.helper();
  await kill();
  await eventually(
    'systemd waits before it starts the next',
    async () => (await unitIs()) === 'activating' || undefined,
  );
  expect(await installed.snapshot()).not.toBe(initialSnapshot);
  expect(await installed.machine.exec(['waymaker', 'restore'])).toMatchObject({ code: 0 });
  await expectRestored();
  await installed.machine.run(words(`systemctl restart ${unit}`));
  await eventually('the next runs', async () => (await installed.helper()) !== before || undefined);
  expect((await installed.attach()).states).toEqual([{ state: 'disconnected' }]);
  await expectRestored();
});

test(
  'restore --force kills a helper that hangs, and whatever systemd starts then changes nothing',
  { timeout: waitLimit(60_000) },
  async () => {
    const { machine } = installed;
    const before = await installed.helper();
    await machine.run(words(`systemctl kill --kill-whom=main --signal=STOP ${unit}`));
    expect(await machine.exec(['waymaker', 'restore', '--force'])).toMatchObject({ code: 0 });
    expect(await installed.net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
    // It starts another, unless that was there so soon that it was ended, too.
    await eventually('systemd has done what it does', async () => {
      const now = await unitIs();
      return now === 'inactive' || (now === 'active' && (await installed.helper()) !== before) || undefined;
    });
    await expectRestored();
  },
);

test('where systemd’s helper comes first, restore says that it runs, and leaves it alone', async () => {
  const { code, stdout } = await restoreTooLate();
  expect([code, JSON.parse(stdout)]).toMatchObject([1, { error: { code: 'helper-running' } }]);
  expect(await unitIs()).toBe('active');
  const client = await installed.attach();
  expect(client.states).toMatchObject([{ state: 'connecting', phase: 'authenticating' }]);
  expect(await installed.net.lab.user.seenFrom()).toBeUndefined();
  await client.call('disconnect', {});
  await expectRestored();
});

test('where systemd’s helper comes first, restore --force ends that one as well', async () => {
  expect(await restoreTooLate('--force')).toMatchObject({ code: 0, stdout: '{"restored":true}\n' });
  await eventually('systemd has seen its end', async () => (await unitIs()) === 'inactive' || undefined);
  await expectRestored();
});

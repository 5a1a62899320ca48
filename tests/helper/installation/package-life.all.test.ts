import { generateKeyPairSync } from 'node:crypto';
import { cp, readFile, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { installed as places } from '../../../packaging/linux/core-tree.ts';
import { signFolder } from '../../../packaging/manifest/sign-folder.ts';
import { coreProduct } from '../../../src/node/manifest/core-product.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { versions } from '../support/installed/core-packages.ts';
import { unit } from '../support/installed/installed-machine.ts';
import { createPackageMachine, type PackageMachine } from '../support/installed/package-machine.ts';
import { goOn, talkOnBoth } from '../support/programs/talk.ts';

// Systems are made, booted and installed on: minutes on a slow machine.
vi.setConfig({ testTimeout: waitLimit(600_000), hookTimeout: waitLimit(600_000) });

/**
 * What becomes of an installed package, by real apt and dpkg, while its user is connected. The tests follow each other.
 */

let life: PackageMachine;

beforeAll(async () => {
  life = await createPackageMachine();
});
afterAll(() => life?.[Symbol.asyncDispose]());

const seenFrom = (marker = 'packaged') => life.installed.net.lab.user.seenFrom(marker);
const isBack = () =>
  eventually('the tunnel is back', async () => (await seenFrom()) === addresses.gateway.ipv4 || undefined);

async function apt(argv: string): Promise<void> {
  const { code, stderr, stdout } = await life.apt(words(argv));
  expect(code, `${stderr}\n${stdout}`).toBe(0);
}

/** What systemd says of the helper once it has refused to run, and has logged why. */
async function refused(why: string | RegExp): Promise<string> {
  const { machine } = life.installed;
  const show = words(`systemctl show --property=ActiveState --property=ExecMainStatus ${unit}`);
  const status = await eventually('it has ended', async () => {
    const shown = (await machine.run(show)).trim();
    return shown.includes('ActiveState=failed') ? shown : undefined;
  });
  // systemd notes the end itself, and the journal what was said before, whenever it comes to that.
  const log = words(`journalctl --no-pager --output=cat --lines=8 --unit=${unit}`);
  await expect.poll(() => machine.run(log)).toMatch(why);
  return status;
}

/** Restarts the helper with the files as they are; systemctl fails where it refuses. */
const restart = () => life.installed.machine.exec(words(`systemctl restart ${unit}`));

test('an upgrade while connected lets nothing out, the tunnel comes back by itself, and connections go on', async () => {
  const { installed } = life;
  const { lab } = installed.net;
  await apt('update');
  await apt(`install waymaker-core=${versions.current}`);
  const before = await installed.helper();
  await life.startCore();
  await life.succeed('mode --kill-switch on');
  await life.succeed('connect');
  expect(await seenFrom()).toBe(addresses.gateway.ipv4);

  const talks = await talkOnBoth(lab.user, addresses.echo, 'upgrade');
  const capture = await lab.capture();
  const stream = await lab.user.probe.stream('upgrade');
  const upgrade = apt('install waymaker-core');
  const isAnother = async () => (await installed.helper()) !== before || undefined;
  // As long as apt may take.
  await eventually('the next helper runs', isAnother, { timeout: 120_000 });
  await isBack();
  await upgrade;
  await goOn(talks);
  await stream[Symbol.asyncDispose]();
  expect(findLeaks(await capture.stop(), 'upgrade')).toEqual([]);
  expect(await life.succeed('--version')).toContain(versions.next);

  await life.succeed('disconnect');
  const control = await lab.capture();
  expect(await seenFrom('upgrade')).toBe(addresses.user.ipv4);
  expect(findLeaks(await control.stop(), 'upgrade'), 'positive control').not.toEqual([]);
});

test('without the kill switch, the tunnel comes back by itself after an upgrade, too', async () => {
  const { installed } = life;
  await life.succeed('mode --kill-switch off');
  await life.succeed('connect');
  expect(await seenFrom()).toBe(addresses.gateway.ipv4);
  const before = await installed.helper();
  await apt('install --reinstall waymaker-core');
  expect(await installed.helper()).not.toBe(before);
  await isBack();
});

test('a dpkg that is killed while it configures blocks and opens nothing, and is taken up again', async () => {
  const { installed } = life;
  const { machine } = installed;
  await life.succeed('mode --kill-switch on');
  await life.succeed('connect');
  const capture = await installed.net.lab.capture();
  const stream = await installed.net.lab.user.probe.stream('halfway');
  // Debian's scripts ask it before they start anything.
  const policy = '/usr/sbin/policy-rc.d';
  await writeFile(machine.file(policy), '#!/bin/sh\npkill -KILL -x "dpkg|apt-get"\nexit 101\n', {
    mode: 0o755,
  });
  expect((await life.apt(words('install --reinstall waymaker-core'))).code).not.toBe(0);
  await machine.run(words(`rm ${policy}`));
  expect(await machine.run(words('dpkg --audit'))).toContain('waymaker-core');
  await machine.run(words(`systemctl restart ${unit}`));
  await isBack();
  await machine.run(words('dpkg --configure -a'));
  await installed.helper();
  await isBack();
  await stream[Symbol.asyncDispose]();
  expect(findLeaks(await capture.stop(), 'halfway')).toEqual([]);
  expect(await machine.run(words('dpkg --audit'))).toBe('');
});

test('a version older than one that has run is refused with words, traffic stays blocked, and the newer one mends it', async () => {
  const { installed } = life;
  const capture = await installed.net.lab.capture();
  const stream = await installed.net.lab.user.probe.stream('older');
  await apt(`install --allow-downgrades waymaker-core=${versions.current}`);
  const status = await refused(`version ${versions.current} is older than ${versions.next}`);
  expect(status).toContain('ExecMainStatus=78');
  expect(await seenFrom()).toBeUndefined();
  expect((await life.waymaker(words('doctor'))).code).toBe(7);
  const connect = await life.waymaker(words('connect'));
  expect(connect.code).toBe(4);
  expect(connect.stderr).toContain('install Waymaker again');

  await apt('install waymaker-core');
  await installed.helper();
  await isBack();
  await stream[Symbol.asyncDispose]();
  expect(findLeaks(await capture.stop(), 'older')).toEqual([]);
});

/** Changes of the installed folder, each of which a reinstallation mends. */
const changes: Record<string, { words: RegExp; make(folder: string): Promise<void> }> = {
  'a link in a file’s place': {
    words: /proxy\.mjs is no regular file/,
    async make(folder) {
      const file = path.join(folder, 'helper/proxy.mjs');
      await cp(file, path.join(folder, '../other.mjs'));
      await unlink(file);
      await symlink('../../other.mjs', file);
    },
  },
  'a file that nobody signed': {
    words: /more\.mjs was not signed with the rest/,
    make: (folder) => writeFile(path.join(folder, 'helper/more.mjs'), ''),
  },
  'a key of somebody else': {
    words: /signed by somebody else/,
    async make(folder) {
      const { privateKey } = generateKeyPairSync('ed25519');
      await signFolder({ folder, product: coreProduct, version: '9.9.9', privateKeys: [privateKey] });
    },
  },
};

test('what is not as it was signed does not run, and installing it again mends it', async () => {
  const { installed } = life;
  const { machine } = installed;
  const folder = machine.file(places.folder);
  const capture = await installed.net.lab.capture();
  // One that runs, and the list itself.
  for (const file of ['helper/helper.mjs', 'manifest.json']) {
    const place = path.join(folder, file);
    const whole = await readFile(place);
    const bytes = Buffer.from(whole);
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
    // A new file, as an upgrade makes one: the running one is not changed.
    await rm(place);
    await writeFile(place, bytes);
    expect((await restart()).code, file).not.toBe(0);
    expect(await seenFrom(), file).toBeUndefined();
    await rm(place);
    await writeFile(place, whole);
  }
  for (const [name, change] of Object.entries(changes)) {
    await change.make(folder);
    expect((await restart()).code, name).not.toBe(0);
    expect(await refused(change.words), name).toContain('ExecMainStatus=78');
    expect(await seenFrom(), name).toBeUndefined();
    expect((await life.waymaker(words('doctor'))).code, name).toBe(7);
    const connect = await life.waymaker(words('connect'));
    expect(connect.code, name).toBe(4);
    expect(connect.stderr, name).toMatch(/install Waymaker again/i);
    await rm(path.join(folder, 'helper/more.mjs'), { force: true });
    await apt('install --reinstall waymaker-core');
    await installed.helper();
    await isBack();
  }
  expect(findLeaks(await capture.stop(), 'packaged')).toEqual([]);
});

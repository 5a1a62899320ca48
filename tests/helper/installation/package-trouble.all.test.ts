import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { installed as places } from '../../../packaging/linux/core-tree.ts';
import { signFolder } from '../../../packaging/manifest/sign-folder.ts';
import { signingKeys } from '../../../packaging/manifest/signing-keys.ts';
import { manifestFile, signatureFile } from '../../../src/node/manifest/manifest.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { watchLeaks, type LeaksWhile } from '../../lab/packets/watch-leaks.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { versions } from '../support/installed/core-packages.ts';
import { unit } from '../support/installed/installed-machine.ts';
import { createPackageMachine, type PackageMachine } from '../support/installed/package-machine.ts';

// Systems are made, booted and installed on: minutes on a slow machine.
vi.setConfig({ testTimeout: waitLimit(600_000), hookTimeout: waitLimit(600_000) });

/** What becomes of an installation by real dpkg where something is in its way. The tests follow each other. */

let life: PackageMachine;
let deb: string;
/** With the positive control of before the first connection, when everything may leave. */
let leaksWhile: LeaksWhile;

beforeAll(async () => {
  life = await createPackageMachine();
  const found = await sh(`find /srv/waymaker/apt -name 'waymaker-core_${versions.current}_*.deb'`);
  deb = found.trim();
});
afterAll(() => life?.[Symbol.asyncDispose]());

const exec = (command: string) => life.installed.machine.exec(['sh', '-c', command], { timeout: 120_000 });
const sh = (command: string) => life.installed.machine.run(['sh', '-c', command], { timeout: 120_000 });
const seenFrom = () => life.installed.net.lab.user.seenFrom();
const isBack = () =>
  eventually('the tunnel is back', async () => (await seenFrom()) === addresses.gateway.ipv4 || undefined);
const isThere = async (file: string) => (await exec(`test -e ${file}`)).code === 0;

/** What dpkg says of the package: what is wanted, and how far it is. */
const dpkgStatus = () => sh("dpkg-query --show --showformat='${db:Status-Status}' waymaker-core");

test('without systemd it is installed, says that nothing was started, and is purged without a trace', async () => {
  const list = () =>
    sh('find /etc /usr /opt /var/lib -xdev ! -path "/etc/netns*" ! -path "/var/lib/dpkg/*" | sort');
  const before = await list();
  // systemd still runs; what tells programs so is hidden from these.
  const hidden = (command: string) =>
    exec(`unshare --mount sh -c 'mount -t tmpfs none /run/systemd && ${command}'`);
  const { code, stderr } = await hidden(`dpkg --install ${deb}`);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('systemd does not run here, so the helper was not started');
  expect(await sh('waymaker --version')).toContain(versions.current);
  expect((await hidden('dpkg --purge waymaker-core')).code).toBe(0);
  expect(await list()).toBe(before);
});

test('for another processor it is refused before anything is done', async () => {
  const other = process.arch === 'x64' ? 'arm64' : 'amd64';
  // dpkg decides by what the package says of itself, which is all that is in this one.
  await sh(`mkdir -p /run/other && dpkg-deb --control ${deb} /run/other/DEBIAN`);
  await sh(
    `sed -i 's/^Architecture: .*/Architecture: ${other}/' /run/other/DEBIAN/control && rm /run/other/DEBIAN/md5sums`,
  );
  await sh('dpkg-deb --build /run/other /run/other.deb');
  const { code, stderr } = await exec('dpkg --install /run/other.deb');
  expect(code).not.toBe(0);
  expect(stderr).toContain(`package architecture (${other}) does not match system`);
  expect(await isThere(places.folder)).toBe(false);
  expect(await sh('dpkg --audit')).toBe('');
});

test('where the C library is older than the runtime needs, the package is refused before anything is changed', async () => {
  // dpkg decides by what is installed by its own books, of which this is a copy.
  const books = '/run/older';
  await sh(`cp -a /var/lib/dpkg ${books}`);
  await sh(`sed -i '/^Package: libc6$/,/^$/s/^Version: .*/Version: 2.27-6/' ${books}/status`);
  const { code, stderr } = await exec(`dpkg --admindir=${books} --install ${deb}`);
  expect(code).not.toBe(0);
  expect(stderr).toContain('pre-dependency problem');
  expect(stderr).toContain('libc6 (>= 2.28)');
  expect(await isThere(places.folder)).toBe(false);
});

test('the person connects', async () => {
  await sh(`dpkg --install ${deb}`);
  await life.installed.helper();
  await life.startCore();
  leaksWhile = await watchLeaks(life.installed.net.lab);
  await life.succeed('mode --kill-switch on');
  await life.succeed('connect');
  expect(await seenFrom()).toBe(addresses.gateway.ipv4);
});

test('a second user who is allowed later can connect, although their daemon was started before', async () => {
  await sh('useradd --create-home --shell /bin/sh second');
  const state = async () => {
    const as = 'setpriv --reuid=second --regid=second --init-groups env HOME=/home/second LC_ALL=C.UTF-8';
    const status = await sh(`${as} WAYMAKER_API_URL=${life.service.apiUrl} waymaker status --json`);
    return JSON.parse(status) as { tunnel: unknown };
  };
  expect(await state()).toMatchObject({ tunnel: { state: 'invalid', cause: 'permission-denied' } });
  await sh('usermod --append --groups waymaker second');
  // Seldom: the daemon ends once nobody uses it.
  const shown = await eventually(
    'it is not refused any more',
    async () => {
      const { tunnel } = await state();
      return JSON.stringify(tunnel).includes('permission-denied') ? undefined : tunnel;
    },
    { every: 4000, timeout: 60_000 },
  );
  expect(shown).toMatchObject({ state: 'connected', ownedByOther: true });
  await sh('pkill --uid second');
});

/** Installs again where that must fail, and expects everything to be as it was, the tunnel included. */
async function failsAndNothingHasChanged(prepare: string, undo: string, says: RegExp): Promise<void> {
  const leaks = await leaksWhile(async () => {
    const before = await sh(`cd ${places.folder} && find . -type f | sort | xargs sha256sum`);
    const helper = await life.installed.helper();
    await sh(prepare);
    try {
      const { code, stderr } = await exec(`dpkg --install ${deb}`);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(says);
      expect(await sh(`cd ${places.folder} && find . -type f | sort | xargs sha256sum`)).toBe(before);
      expect(await life.installed.helper(), 'nobody is disconnected').toBe(helper);
      await isBack();
    } finally {
      await sh(undo);
    }
    // Where dpkg could not tidy up after itself, it does so now.
    await sh(`dpkg --install ${deb}`);
    expect(await dpkgStatus()).toBe('installed');
    await life.installed.helper();
    await isBack();
  });
  expect(leaks).toEqual([]);
}

test('on a full disk it says so, and what was there goes on', async () => {
  const { folder } = places;
  await sh(`cp -a ${folder} /run/copy`);
  const used = Number((await sh('du --summarize --block-size=1M /run/copy')).split('\t')[0]);
  await failsAndNothingHasChanged(
    `mount -t tmpfs -o size=${used + 40}M none ${folder} && cp -a /run/copy/. ${folder}/`,
    `umount --lazy ${folder} && rm -rf /run/copy && systemctl restart ${unit}`,
    /No space left on device/,
  );
  await life.installed.helper();
  await isBack();
});

test('with a read-only /usr it says so, and what was there goes on', async () => {
  await failsAndNothingHasChanged(
    'mount --bind /usr /usr && mount -o remount,bind,ro /usr',
    'umount --lazy /usr',
    /Read-only file system/,
  );
});

test('a dpkg that is killed while it unpacks leaves a helper that runs, also after a restart', async () => {
  const leaks = await leaksWhile(async () => {
    const half = `${places.node}.dpkg-new`;
    // One that was done before it could be killed unpacks once more.
    await sh(`
    until [ -e ${half} ]; do
      dpkg --unpack ${deb} > /dev/null 2>&1 & pid=$!
      until [ -e ${half} ] || ! kill -0 $pid; do :; done
      pkill -KILL -x dpkg
      wait $pid
    done
    true`);
    expect(await isThere(half)).toBe(true);
    expect(await sh('dpkg --audit')).toContain('waymaker-core');
    await sh(`systemctl restart ${unit}`);
    await life.installed.helper();
    await isBack();
    const { code, stderr } = await exec(`dpkg --install ${deb}`);
    expect(code, stderr).toBe(0);
    await life.installed.helper();
    await isBack();
    expect(await isThere(half)).toBe(false);
    expect(await dpkgStatus()).toBe('installed');
  });
  expect(leaks).toEqual([]);
});

test('an upgrade while traffic is blocked keeps it blocked, and the tunnel comes once it can', async () => {
  const { lab } = life.installed.net;
  await lab.gateway.stop();
  await eventually('it is blocked', async () => (await seenFrom()) === undefined || undefined);
  const leaks = await leaksWhile(async () => {
    await sh(`dpkg --install ${deb}`);
    await life.installed.helper();
    expect(await seenFrom()).toBeUndefined();
    await lab.gateway.start();
    await eventually(
      'the tunnel is back',
      async () => (await seenFrom()) === addresses.gateway.ipv4 || undefined,
    );
  });
  expect(leaks).toEqual([]);
});

/** Files of the folder that everything is signed in, relative to it. */
async function signedFiles(): Promise<string[]> {
  const entries = await readdir(life.installed.machine.file(places.folder), {
    recursive: true,
    withFileTypes: true,
  });
  const folder = life.installed.machine.file(places.folder);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
    .sort();
}

/** Waits until the helper has refused to run. */
const refused = (what: string) =>
  eventually(`the helper has refused ${what}`, async () => {
    const shown = await sh(`systemctl show --property=ActiveState --property=ExecMainStatus ${unit}`);
    return /ActiveState=failed/.test(shown) && /ExecMainStatus=78/.test(shown) ? true : undefined;
  });

/** Waits until the journal has what the helper has said, which systemd's own notes may overtake. */
const logged = (text: string) =>
  expect.poll(() => sh(`journalctl --no-pager --output=cat --unit=${unit}`)).toContain(text);

/**
 * One byte is another one. Text still means the same, so that it is the check that finds it, and not the interpreter:
 * its last line break becomes a space, or the other way round. In a signature, any byte counts.
 */
function withOtherByte(name: string, whole: Buffer): Buffer {
  const bytes = Buffer.from(whole);
  const breakAt = name === signatureFile ? bytes.indexOf('"signature": "') + 20 : bytes.lastIndexOf('\n');
  const isText = !bytes.includes(0);
  const at = isText && breakAt >= 0 ? breakAt : bytes.length - 1;
  const isBreak = isText && name !== signatureFile;
  bytes.writeUInt8(isBreak ? 0x20 : bytes.readUInt8(at) ^ 1, at);
  return bytes;
}

test(
  'with one other byte in any signed file, the helper refuses to run, and doctor names the file',
  { timeout: waitLimit(600_000) },
  async () => {
    const { machine } = life.installed;
    const leaks = await leaksWhile(async () => {
      const files = await signedFiles();
      expect(files).toEqual(expect.arrayContaining(['node', 'app/cli.js', manifestFile, signatureFile]));
      for (const name of files) {
        const place = path.join(machine.file(places.folder), name);
        const whole = await readFile(place);
        const { mode } = JSON.parse(await sh(`stat --printf '{"mode":"%a"}' ${places.folder}/${name}`)) as {
          mode: string;
        };
        const write = async (content: Buffer) => {
          // A new file, as an upgrade makes one: those that run are not changed.
          await rm(place);
          await writeFile(place, content, { mode: Number.parseInt(mode, 8) });
        };
        await write(withOtherByte(name, whole));
        await exec(`systemctl restart ${unit}`);
        await refused(name);
        expect(await seenFrom(), name).toBeUndefined();
        const doctor = await life.waymaker(words('doctor'));
        expect(doctor.code, name).toBe(7);
        const isOfManifest = name === manifestFile || name === signatureFile;
        expect(doctor.stdout, name).toContain(isOfManifest ? 'Install Waymaker again' : `“${name}”`);
        await write(whole);
      }
      await sh(`systemctl restart ${unit}`);
      await life.installed.helper();
      await isBack();
    });
    expect(leaks).toEqual([]);
  },
);

test('a program that is replaced after the check is not started: the next helper refuses, and traffic stays blocked', async () => {
  const { machine } = life.installed;
  const hook = `/run/systemd/system/${unit}.d`;
  // Our own engine is a program of ours; openconnect is the system's.
  await sh(
    `mkdir -p ${hook} && { printf '[Service]\\nExecStart=\\n'; sed -n 's/^ExecStart=.*/& --engine own/p' ${places.helperUnit}; } > ${hook}/own.conf`,
  );
  const restart = `systemctl daemon-reload && systemctl restart ${unit}`;
  await sh(restart);
  // As a person does who does not wait: with each tunnel that was lost soon after, the next attempt comes later.
  await life.succeed('disconnect');
  await life.succeed('connect');
  expect(await seenFrom()).toBe(addresses.gateway.ipv4);
  const leaks = await leaksWhile(async () => {
    const engine = path.join(path.dirname(places.helper), 'engine.mjs');
    const place = machine.file(engine);
    const whole = await readFile(place);
    await rm(place);
    await writeFile(place, "import { writeFileSync } from 'node:fs'; writeFileSync('/run/other-ran', '');");
    await sh('pkill -KILL -x waymaker-engine');
    await refused('the program');
    await logged('helper/engine.mjs is not what was signed; install the package');
    expect(await isThere('/run/other-ran')).toBe(false);
    expect(await seenFrom()).toBeUndefined();
    expect((await life.waymaker(words('doctor'))).stdout).toContain('“helper/engine.mjs”');
    await sh(`${places.node} ${engine}`);
    expect(await isThere('/run/other-ran'), 'positive control').toBe(true);
    await rm(place);
    await writeFile(place, whole);
    await sh(`rm -r ${hook} && ${restart}`);
    await isBack();
  });
  expect(leaks).toEqual([]);
});

test('whom a damaged installation cuts off, restore gives the internet back, and installing again the tunnel', async () => {
  await sh(`mv ${places.folder}/helper/proxy.mjs /run/proxy.mjs`);
  await exec(`systemctl restart ${unit}`);
  await refused('to run without its proxy');
  expect(await seenFrom()).toBeUndefined();
  const connect = await life.waymaker(words('connect'));
  expect(connect.code).toBe(4);
  expect(connect.stderr).toContain('sudo waymaker restore');
  await sh('waymaker restore');
  expect(await seenFrom()).toBe(addresses.user.ipv4);
  await sh(`dpkg --install ${deb}`);
  await life.installed.helper();
  await life.succeed('connect');
  expect(await seenFrom()).toBe(addresses.gateway.ipv4);
});

test('dpkg compares the files beside the signed folder, which are not signed with it', async () => {
  const listed = (await sh('dpkg --listfiles waymaker-core')).trim().split('\n');
  const others: string[] = [];
  for (const file of listed.filter((one) => !one.startsWith(`${places.folder}/`)))
    if ((await exec(`test -f ${file}`)).code === 0) others.push(file);
  expect(others).toContain(places.helperUnit);
  // Several are called the same.
  const keptAs = (file: string) => `/run/whole-${others.indexOf(file)}`;
  for (const file of others) await sh(`cp -a ${file} ${keptAs(file)} && printf '\\n' >> ${file}`);
  const verified = (await exec('dpkg --verify waymaker-core')).stdout;
  for (const file of others) expect(verified, file).toContain(file);
  for (const file of others) await sh(`cp -a ${keptAs(file)} ${file}`);
  expect((await exec('dpkg --verify waymaker-core')).stdout).toBe('');
});

test('what is signed as another product does not run, and doctor names it, like an older version', async () => {
  const { machine } = life.installed;
  const { privateKeys } = await signingKeys({});
  const folder = machine.file(places.folder);
  await signFolder({ folder, product: 'waymaker', version: versions.next, privateKeys });
  expect((await exec(`systemctl restart ${unit}`)).code).not.toBe(0);
  await logged('the files are signed as waymaker;');
  expect((await life.waymaker(words('doctor'))).stdout).toContain('Install Waymaker again');
  await sh(`dpkg --install ${deb}`);
  await life.installed.helper();
  await isBack();

  await sh(`echo ${versions.next} > /var/lib/waymaker/version-floor`);
  expect((await exec(`systemctl restart ${unit}`)).code).not.toBe(0);
  expect((await life.waymaker(words('doctor'))).stdout).toContain('a newer version has run here before');
  // As it says there.
  await sh('rm /var/lib/waymaker/version-floor');
  await sh(`systemctl restart ${unit}`);
  await isBack();
  expect((await life.waymaker(words('doctor'))).stdout).not.toContain('a newer version has run here before');
});

test('a dpkg that is killed while it removes leaves traffic blocked and everything there, and is taken up again', async () => {
  const leaks = await leaksWhile(async () => {
    const hook = `/run/systemd/system/${unit}.d`;
    // While the package's own script waits for the helper to end.
    await sh(
      `mkdir -p ${hook} && printf '[Service]\\nExecStopPost=-+/bin/sh -c "pkill -KILL -x dpkg; pkill -KILL -f waymaker-core.prerm"\\n' > ${hook}/kill.conf && systemctl daemon-reload`,
    );
    expect((await exec('dpkg --remove waymaker-core')).code).not.toBe(0);
    await sh(`rm -r ${hook} && systemctl daemon-reload`);
    expect(await isThere(places.helper)).toBe(true);
    expect(await seenFrom()).toBeUndefined();
  });
  expect(leaks).toEqual([]);
  await sh(`systemctl start ${unit}`);
  await life.installed.helper();
  await isBack();
});

test('reset removes what is the person’s own once they say yes, and purging what is the helper’s', async () => {
  const profile = '/home/person/.config/Waymaker';
  await sh('systemctl stop core');
  const asked = await life.run(['sh', '-c', 'echo no | waymaker reset']);
  expect(asked.code).toBe(1);
  expect(asked.stderr).toContain(profile);
  expect(await isThere(`${profile}/settings.json`)).toBe(true);
  expect(await life.succeed('status')).toMatch(/Sign-in kept +in a file that only the helper/);
  expect((await life.waymaker(words('doctor'))).stdout).toMatch(
    /Sign-in kept +in a file that only the helper/,
  );
  expect(await life.succeed('reset --yes')).toContain(profile);
  expect(await isThere(profile)).toBe(false);
  expect(await seenFrom()).toBe(addresses.user.ipv4);
  expect(await sh('ls -A /home/person/.config')).toBe('');

  expect(await isThere('/var/lib/waymaker/sealing-key')).toBe(true);
  await sh('dpkg --purge waymaker-core');
  expect(await isThere('/var/lib/waymaker')).toBe(false);
  expect(await isThere(places.folder)).toBe(false);
});

import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { run } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

/** Packages of the same commit, made in two folders, at two times, in two time zones, by people with other settings. */

const root = path.resolve(import.meta.dirname, '../../..');
const { version } = packageJson;
const coreNames = [
  `waymaker-core_${version}_amd64.deb`,
  `waymaker-core_${version}_arm64.deb`,
  `waymaker-core-${version}-1.x86_64.rpm`,
  `waymaker-core-${version}-1.aarch64.rpm`,
];

let directory: string;
let clones: string[];

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-clones-'));
  clones = [path.join(directory, 'a'), path.join(directory, 'elsewhere/with-a-longer-name')];
  const settings = [
    { TZ: 'Pacific/Kiritimati', LC_ALL: 'C.UTF-8', HOME: directory, umask: '022' },
    { TZ: 'America/Los_Angeles', LC_ALL: 'C', HOME: path.join(directory, 'home'), umask: '077' },
  ];
  for (const [index, clone] of clones.entries()) {
    // Of the first one, so that both have the same commit, whatever is committed meanwhile.
    await run(['git', 'clone', '--quiet', index === 0 ? root : (clones[0] ?? root), clone]);
    // Not what other tests unpack there, some of it at this moment: packages are not made of that.
    const modules = (await readdir(path.join(root, 'node_modules'))).filter(
      (name) => !/^\.(?:debian|darwin|windows|vite)/.test(name),
    );
    await mkdir(path.join(clone, 'node_modules'));
    await run([
      'cp',
      '-al',
      ...modules.map((name) => path.join(root, 'node_modules', name)),
      path.join(clone, 'node_modules'),
    ]);
    await keepFetched(clone);
    const { umask = '', ...env } = settings[index] ?? {};
    const make = `umask ${umask} && exec "$0" packaging/index.ts core desktop --fast`;
    await run(['sh', '-c', make, process.execPath], { cwd: clone, env, timeout: 600_000 });
    // Whatever is made of the time has to differ.
    await delay(1500);
  }
}, waitLimit(1_500_000));
afterAll(() => rm(directory, { recursive: true }));

/** What npm has fetched for this clone, or else the test asks the registry. */
async function keepFetched(clone: string): Promise<void> {
  const kept = 'out/packages/.fetched';
  await mkdir(path.join(clone, kept), { recursive: true });
  await cp(path.join(root, kept), path.join(clone, kept), { recursive: true }).catch(() => undefined);
}

const filesOf = (name: string) => clones.map((clone) => path.join(clone, 'out/packages', name));

/** Every file in a package with its attributes, and what the package says of itself. */
async function contents(file: string): Promise<string[]> {
  if (file.endsWith('.rpm'))
    return (
      await run(['rpm', '-qp', '--dump', '--scripts', '--requires', '--qf', '%{buildtime}\n', file])
    ).split('\n');
  const out = await mkdtemp(path.join(directory, 'out-'));
  await run(['dpkg-deb', '--raw-extract', file, out]);
  const sums = await run(['sh', '-c', 'cd "$0" && find . -type f | sort | xargs sha256sum', out]);
  const list = await run(
    ['sh', '-c', 'dpkg-deb --fsys-tarfile "$0" | tar --list --verbose --full-time', file],
    {
      env: { TZ: 'UTC' },
    },
  );
  return `${list}\n${sums}`.split('\n');
}

async function expectSameBytes(name: string): Promise<void> {
  const [one = '', other = ''] = filesOf(name);
  expect((await stat(one)).mtimeMs).not.toBe((await stat(other)).mtimeMs);
  expect(await contents(one)).toEqual(await contents(other));
  expect((await readFile(one)).equals(await readFile(other))).toBe(true);
  expect(await readFile(`${one}.cdx.json`, 'utf8')).toBe(await readFile(`${other}.cdx.json`, 'utf8'));
}

test.each(coreNames)('%s has the same bytes', expectSameBytes);

test('the packages of the desktop app have the same bytes, too', async () => {
  const made = await readdir(path.join(clones[0] ?? '', 'out/packages'));
  const desktop = made.filter((name) => /\.(?:deb|rpm)$/.test(name) && !coreNames.includes(name));
  // The window for tests, which needs no Electron, is made for both.
  const isOfTests = desktop.some((name) => name.startsWith('waymaker-test-window'));
  expect(desktop).toHaveLength(isOfTests ? 4 : 2);
  for (const name of desktop) await expectSameBytes(name);
});

test.each(['waymaker-core', 'waymaker-test-window'])(
  'every program in %s for another processor is for that processor',
  async (name) => {
    const file = path.join(clones[0] ?? '', `out/packages/${name}_${version}_arm64.deb`);
    // Where Electron is here, it is for this processor, and the window for tests is not made.
    if (name !== 'waymaker-core' && !existsSync(file)) return;
    const out = await mkdtemp(path.join(directory, 'arm-'));
    await run(['dpkg-deb', '--extract', file, out]);
    const entries = await readdir(out, { recursive: true, withFileTypes: true });
    const programs: string[] = [];
    for (const entry of entries.filter((one) => one.isFile())) {
      const program = path.join(entry.parentPath, entry.name);
      const head = (await readFile(program)).subarray(0, 20);
      if (head.subarray(1, 4).toString() !== 'ELF') continue;
      programs.push(entry.name);
      // EM_AARCH64 (elf(5)).
      expect(head.readUInt16LE(18), program).toBe(183);
    }
    expect(programs).toEqual(expect.arrayContaining(['koffi.node', 'keytar.node']));
  },
);

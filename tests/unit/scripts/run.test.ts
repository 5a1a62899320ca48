import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, cp, link, lstat, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { run } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const scripts = path.resolve(import.meta.dirname, '../../../scripts');
const isRoot = process.getuid?.() === 0;
/** Somebody who is not root; nobody has to be called that. */
const user = { uid: 54_321, gid: 54_321 };

/** A clone whose packages are installed, and whose build writes one file. */
let clone: string;

beforeEach(async () => {
  clone = await mkdtemp(path.join(tmpdir(), 'waymaker-clone-'));
  for (const name of ['run.js', 'setup.js', 'ownership.js', 'only-start.js'])
    await cp(path.join(scripts, name), path.join(clone, 'scripts', name));
  await write(
    'scripts/build.ts',
    `import { mkdirSync, writeFileSync } from 'node:fs';
mkdirSync('out', { recursive: true });
writeFileSync('out/built', '');
`,
  );
  await write('package.json', '{ "type": "module" }');
  await write('package-lock.json', '{}');
  await write('node_modules/.waymaker-lockfile', createHash('sha256').update('{}').digest('hex'));
  await mkdir(path.join(clone, 'node_modules/.bin'));
  await symlink(process.execPath, path.join(clone, 'node_modules/.bin/node'));
});

afterEach(() => rm(clone, { recursive: true, force: true }));

async function write(name: string, contents: string): Promise<void> {
  const file = path.join(clone, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, contents);
}

async function build(as: { uid?: number; gid?: number } = {}, nodeOptions: string[] = []) {
  const child = spawn(process.execPath, [...nodeOptions, 'scripts/run.js', 'build'], { ...as, cwd: clone });
  const [code, stderr] = await Promise.all([
    new Promise((resolve) => child.on('close', resolve)),
    text(child.stderr),
  ]);
  return { code, stderr };
}

const ownerOf = async (name: string) => (await lstat(path.join(clone, name))).uid;

test('says in one line that Node is too old', async () => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.0' } })`;
  const { code, stderr } = await build({}, ['--import', `data:text/javascript,${encodeURIComponent(old)}`]);
  expect(stderr).toBe(
    'Node 18.19.0 is too old: install Node 20.11 or later, https://nodejs.org/en/download\n',
  );
  expect(code).toBe(1);
});

test('a clone is started once at a time, and again after an end by force', async () => {
  await write('scripts/start.ts', `console.log('started'); setInterval(() => {}, 1000);`);
  const start = () => spawn(process.execPath, ['scripts/run.js', 'start'], { cwd: clone, detached: true });
  const ended = (child: ReturnType<typeof start>) => new Promise((resolve) => child.on('close', resolve));
  const first = start();
  try {
    await once(first.stdout, 'data');
    const second = start();
    const [code, stderr] = await Promise.all([ended(second), text(second.stderr)]);
    expect(stderr).toBe(
      '`npm start` already runs in this clone: end that with Ctrl-C, or start from another clone.\n',
    );
    expect(code).toBe(1);
  } finally {
    const gone = ended(first);
    process.kill(-(first.pid ?? Number.NaN), 'SIGKILL');
    await gone;
  }
  const third = start();
  const gone = ended(third);
  expect(String(await once(third.stdout, 'data'))).toBe('started\n');
  process.kill(-(third.pid ?? Number.NaN), 'SIGKILL');
  await gone;
});

test.skipIf(process.platform === 'win32')(
  'Ctrl-C while packages are installed ends npm, whatever it is doing',
  async () => {
    // npm itself first finishes and undoes what it has begun, which takes up to a minute on a slow machine.
    const busy = `process.on('SIGINT', () => {}); console.log('installing as', process.pid); setInterval(() => {}, 1000);`;
    await write('busy.cjs', busy);
    await write('package.json', '{ "type": "module", "scripts": { "install": "node busy.cjs" } }');
    await write('package-lock.json', '{ "lockfileVersion": 3, "packages": { "": {} } }');
    const child = spawn(process.execPath, ['scripts/run.js', 'build'], { cwd: clone, detached: true });
    const group = -(child.pid ?? Number.NaN);
    const ended = once(child, 'exit');
    let output = '';
    const installer = await new Promise<number>((resolve) => {
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
        const found = /installing as (\d+)\n/.exec(output);
        if (found) resolve(Number(found[1]));
      });
    });
    try {
      expect(isRunning(installer)).toBe(true);
      // As a terminal does: to all programs of the foreground.
      process.kill(group, 'SIGINT');
      expect(await ended).toEqual([130, null]);
      await expect.poll(() => isRunning(installer), { timeout: waitLimit(10_000) }).toBe(false);
    } finally {
      if (isRunning(installer)) process.kill(installer, 'SIGKILL');
    }
  },
);

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.runIf(isRoot)("root in a user's clone", () => {
  beforeEach(() => chownAll(user));

  async function chownAll({ uid, gid }: typeof user): Promise<void> {
    await run(['chown', '-R', `${uid}:${gid}`, clone]);
    // Others may look at it, but not change it.
    await chmod(clone, 0o755);
  }

  test('leaves nothing there that the user cannot change', async () => {
    expect(await build()).toEqual({ code: 0, stderr: '' });
    expect([await ownerOf('out'), await ownerOf('out/built')]).toEqual([user.uid, user.uid]);
    expect(await build(user)).toEqual({ code: 0, stderr: '' });
  });

  test('gives away nothing that is elsewhere, too', async () => {
    await write('system', '');
    await mkdir(path.join(clone, 'out'));
    await link(path.join(clone, 'system'), path.join(clone, 'out/linked'));
    await symlink(path.join(clone, 'system'), path.join(clone, 'out/leads'));
    expect((await build()).code).toBe(0);
    expect([await ownerOf('out/built'), await ownerOf('system')]).toEqual([user.uid, 0]);
  });

  test('a user is told in one line how to take over what an older run of root has left', async () => {
    await write('out/renderer/index.html', '');
    const { code, stderr } = await build(user);
    expect(code).toBe(1);
    const [line = '', command = '', ...others] = stderr.trimEnd().split(/: (?=sudo )/);
    expect(line).toBe('Another user, perhaps root, has left files here. Take them over');
    expect(command).toBe(`sudo chown -R "$(id -u):$(id -g)" '${clone}/out'`);
    expect(others).toEqual([]);
  });

  test("says so where the clone is root's", async () => {
    await chownAll({ uid: 0, gid: 0 });
    const { code, stderr } = await build(user);
    expect(stderr).toBe(
      `You may not write to ${clone}. Clone it as yourself, or run this as the user it belongs to.\n`,
    );
    expect(code).toBe(1);
  });
});

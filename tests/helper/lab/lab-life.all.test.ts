import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { createLab } from '../../lab/lab.ts';
import { endProcess, eventually, exec, outputOf, run, startUntil } from '../../lab/runs/process.ts';

const namespaces = async () =>
  (await run(['ip', 'netns', 'list'])).split('\n').map((line) => line.split(' ')[0] ?? '');

/** Everything of a laboratory that the machine around it could still have. */
async function remains(directory: string): Promise<string[]> {
  const id = path.basename(directory);
  const found = (await namespaces()).filter((name) => name.startsWith(`wm${id}`));
  const settings = (await readdir('/etc/netns').catch(() => [])).filter((name) => name.startsWith(`wm${id}`));
  // Command lines of its services and gateways name its directory.
  const { stdout } = await exec(['pgrep', '-f', directory]);
  const files = existsSync(directory) ? [directory] : [];
  return [...found, ...settings, ...files, ...stdout.split('\n')].filter(Boolean);
}

/** Runs a module of the laboratory's in a process whose laboratories are in this folder. */
const startIn = (folder: string, module: string, script: string, ready: RegExp) => {
  const file = path.join(import.meta.dirname, '../../lab', module);
  const source = `import * as lab from ${JSON.stringify(file)};${script}`;
  const env = { ...process.env, TMPDIR: folder };
  return startUntil([process.execPath, '--input-type=module', '--eval', source], ready, { env });
};

test('disposing leaves nothing', async () => {
  const lab = await createLab();
  const child = lab.user.spawn(['sleep', '600'], { stdio: 'ignore' });
  expect((await remains(lab.directory)).length).toBeGreaterThan(5);
  await lab[Symbol.asyncDispose]();
  expect(await remains(lab.directory)).toEqual([]);
  await expect.poll(() => child.signalCode).toBe('SIGKILL');
});

test('two laboratories at once do not meet', async () => {
  await using first = await createLab();
  await using second = await createLab();
  const capture = await second.capture();
  expect((await first.user.probe.http4('first'))?.address).toBe(addresses.user.ipv4);
  expect((await capture.stop()).filter(({ payload }) => payload.includes('first'))).toEqual([]);
  await first[Symbol.asyncDispose]();
  expect((await second.user.probe.http4('second'))?.address).toBe(addresses.user.ipv4);
});

test('what a killed owner leaves is swept, what a living one has is not', async () => {
  // Whoever makes a laboratory sweeps all in the same folder, other files that run at the same time, too.
  const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-swept-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  // The gateway's workers reach their socket through it.
  await chmod(folder, 0o755);
  const script = `
    const made = await lab.createLab();
    process.on('SIGUSR2', async () => console.log('reached', (await made.user.probe.http4('living'))?.address));
    process.on('SIGTERM', () => made[Symbol.asyncDispose]().then(() => process.exit()));
    console.log('made', made.directory);
    setInterval(() => {}, 1000);`;
  const start = async () => {
    const owner = await startIn(folder, 'lab.ts', script, /made \S+\n/);
    const [, directory = ''] = /made (\S+)\n/.exec(outputOf(owner)) ?? [];
    return { owner, directory };
  };
  const [killed, living] = [await start(), await start()];
  onTestFinished(() => endProcess(living.owner, 'SIGTERM'));
  await endProcess(killed.owner, 'SIGKILL');
  expect(await remains(killed.directory)).not.toEqual([]);
  await startIn(
    folder,
    'machine/registry.ts',
    `await lab.sweepAbandonedLabs(); console.log('swept');`,
    /swept/,
  );
  expect(await remains(killed.directory)).toEqual([]);
  living.owner.kill('SIGUSR2');
  await eventually(
    'the living one is as it was',
    () => outputOf(living.owner).includes(`reached ${addresses.user.ipv4}`) || undefined,
  );
});

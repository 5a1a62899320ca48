import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { addresses } from '../../lab/network/addresses.ts';
import { createLab } from '../../lab/lab.ts';
import { endProcess, exec, run, startUntil } from '../../lab/runs/process.ts';
import { labsRoot, readOwner, sweepAbandonedLabs } from '../../lab/machine/registry.ts';

const namespaces = async () =>
  (await run(['ip', 'netns', 'list'])).split('\n').map((line) => line.split(' ')[0] ?? '');

/** Everything of a laboratory that the machine around it could still have. */
async function remains(id: string): Promise<string[]> {
  const found = (await namespaces()).filter((name) => name.startsWith(`wm${id}`));
  const settings = (await readdir('/etc/netns').catch(() => [])).filter((name) => name.startsWith(`wm${id}`));
  // Command lines of its services and gateways name its directory.
  const { stdout } = await exec(['pgrep', '-f', path.join(labsRoot, id)]);
  const directory = existsSync(path.join(labsRoot, id)) ? [id] : [];
  return [...found, ...settings, ...directory, ...stdout.split('\n')].filter(Boolean);
}

/** The id of the laboratory that a process made. */
async function labOf(pid: number | undefined): Promise<string> {
  for (const id of await readdir(labsRoot)) {
    if ((await readOwner(path.join(labsRoot, id)))?.pid === pid) return id;
  }
  throw new Error(`process ${pid} has no laboratory`);
}

test('disposing leaves nothing', async () => {
  const lab = await createLab();
  const id = path.basename(lab.directory);
  const child = lab.user.spawn(['sleep', '600'], { stdio: 'ignore' });
  expect((await remains(id)).length).toBeGreaterThan(5);
  await lab[Symbol.asyncDispose]();
  expect(await remains(id)).toEqual([]);
  expect(child.signalCode).toBe('SIGKILL');
});

test('two at once do not meet', async () => {
  await using first = await createLab();
  await using second = await createLab();
  const capture = await second.capture();
  expect((await first.user.probe.http4('first'))?.address).toBe(addresses.user.ipv4);
  expect((await capture.stop()).filter(({ payload }) => payload.includes('first'))).toEqual([]);
  await first[Symbol.asyncDispose]();
  expect((await second.user.probe.http4('second'))?.address).toBe(addresses.user.ipv4);
});

test('what a killed owner leaves is swept, what a living one has is not', async () => {
  await using living = await createLab({ gateway: false });
  const script = path.join(import.meta.dirname, '../../lab/lab.ts');
  const owner = await startUntil(
    [
      process.execPath,
      '--input-type=module',
      '--eval',
      `const { createLab } = await import(${JSON.stringify(script)});
       const lab = await createLab();
       console.log('made', lab.directory);
       setInterval(() => {}, 1000);`,
    ],
    /made \S+\n/,
  );
  const id = await labOf(owner.pid);
  await endProcess(owner, 'SIGKILL');
  expect(await remains(id)).not.toEqual([]);
  await sweepAbandonedLabs();
  expect(await remains(id)).toEqual([]);
  expect(await living.user.probe.http4('living')).toBeDefined();
});

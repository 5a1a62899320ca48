import { expect, test } from 'vitest';
import { lockedPackage } from '../../../packaging/runtime/locked-package.ts';
import { processors } from '../../../packaging/runtime/processors.ts';

test('packages have the Node that everything is tested with, for every processor', async () => {
  const { version } = await lockedPackage('node');
  expect(process.versions.node).toBe(version);
  for (const processor of Object.keys(processors))
    expect(await lockedPackage(`node-linux-${processor}`)).toMatchObject({
      version,
      integrity: expect.stringMatching(/^sha512-/) as string,
    });
});

test('what no lockfile mentions is not fetched', async () => {
  await expect(lockedPackage('node-linux-riscv64')).rejects.toThrow(
    'no lockfile mentions node-linux-riscv64',
  );
  await expect(lockedPackage('commander', '0.0.1')).rejects.toThrow('no lockfile mentions commander 0.0.1');
});

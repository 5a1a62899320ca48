import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeMacosCore } from '../../../packaging/desktop/macos/core-folder.ts';
import { wrongSignatures } from '../../../packaging/desktop/macos/check-signed-app.ts';
import { signingKeys } from '../../../packaging/manifest/signing-keys.ts';
import type { Processor } from '../../../packaging/runtime/processors.ts';
import { checkFolder } from '../../../src/node/manifest/check-folder.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { coreProduct } from '../../../src/node/manifest/core-product.ts';
import { publicKeyOf } from '../../../src/node/manifest/signatures.ts';

/** The folder itself, with the official runtimes; nobody can sign it here for Apple. */

const kept = path.resolve(import.meta.dirname, '../../../out/packages/.fetched');
/** <mach/machine.h>: CPU_TYPE_X86_64 and CPU_TYPE_ARM64. */
const cpuTypes = { x64: 0x0100_0007, arm64: 0x0100_000c } as const satisfies Record<Processor, number>;

describe.each(['x64', 'arm64'] as const)('for %s', (processor) => {
  let scratch = '';
  const folder = () => path.join(scratch, 'core');
  const make = async (isRelease: boolean) => {
    const keys = await signingKeys({});
    return await makeMacosCore({
      processor,
      folder: folder(),
      scratch,
      kept,
      version: '1.2.3',
      keys: { ...keys, isTest: !isRelease },
      identity: undefined,
    });
  };

  beforeAll(async () => {
    scratch = mkdtempSync(path.join(tmpdir(), 'waymaker-core-'));
    await make(false);
  }, waitLimit(240_000));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  test('each program is for that processor, and the list of files holds', async () => {
    const programs = ['node', `node_modules/keytar/prebuilds/darwin-${processor}/keytar.node`].concat(
      `node_modules/@koromix/koffi-darwin-${processor}/darwin_${processor}/koffi.node`,
    );
    for (const program of programs)
      expect([program, readFileSync(path.join(folder(), program)).readUInt32LE(4)]).toEqual([
        program,
        cpuTypes[processor],
      ]);
    const { publicKeys } = await signingKeys({});
    const expected = { folder: folder(), product: coreProduct, trusted: publicKeys.map(publicKeyOf) };
    expect(await checkFolder(expected)).toMatchObject({ ok: true });
  });

  test('as its makers have signed it, the runtime may be debugged: it has to be signed anew', () => {
    expect(wrongSignatures(folder())).toContain('node has the entitlement com.apple.security.get-task-allow');
  });

  test('no release is made of an older runtime than the other systems have', async () => {
    await expect(make(true)).rejects.toThrow('no release for macOS can be made');
  });
});

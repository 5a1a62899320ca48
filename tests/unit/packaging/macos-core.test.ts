import { mkdtempSync, readFileSync, rmSync, writeFileSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { installerConfiguration } from '../../../packaging/desktop/installer-configuration.ts';
import { signingIdentity, whyNotNotarised } from '../../../packaging/desktop/installers.ts';
import {
  coreInApp,
  entitlements,
  layMacosCore,
  signMacosCore,
} from '../../../packaging/desktop/macos/core-folder.ts';
import { signingKeys } from '../../../packaging/manifest/signing-keys.ts';
import { checkFolder } from '../../../src/node/manifest/check-folder.ts';
import { coreFolder, coreProduct } from '../../../src/node/manifest/core-product.ts';
import { publicKeyOf } from '../../../src/node/manifest/signatures.ts';
import { linkForMacos, whyWithoutHeaders } from '../../lab/darwin/compile-for-macos.ts';

const without = whyWithoutHeaders();
const resources = path.resolve(import.meta.dirname, '../../../resources/macos/installer');
const text = (name: string) => readFileSync(path.join(resources, name), 'utf8');

let scratch = '';
beforeEach(() => {
  scratch = mkdtempSync(path.join(tmpdir(), 'waymaker-core-'));
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

test('the app looks for the helper where the installer copies it, and launchd starts it there', () => {
  const place = coreFolder('darwin') ?? '';
  expect(text('postinstall')).toContain(`own="$root${path.dirname(place)}"`);
  expect(text('postinstall')).toContain('Waymaker.app/Contents/Resources"');
  expect(text('postinstall')).toContain(`bundled="$resources/${coreInApp}"`);
  expect(text('example.waymaker.helper.plist')).toContain(`<string>${place}/helper/helper.mjs</string>`);
  expect(text('example.waymaker.helper.plist')).toContain(`<string>${place}/node</string>`);
});

test('the package has the helper, and electron-builder signs nothing of it again', () => {
  const options = {
    platform: 'darwin',
    app: '/app',
    electron: { folder: '/electron', version: '1.2.3' },
    folder: '/made',
  } as const;
  const { mac } = installerConfiguration({ ...options, core: '/scratch/core' });
  expect(mac?.extraResources).toContainEqual({ from: '/scratch/core', to: coreInApp });
  const [ignored = ''] = mac?.signIgnore ?? [];
  const inApp = (name: string) => `/made/Waymaker.app/Contents/${name}`;
  expect(inApp('Resources/core/node')).toMatch(new RegExp(ignored));
  expect(inApp('MacOS/Waymaker')).not.toMatch(new RegExp(ignored));
  expect(installerConfiguration(options).mac?.extraResources).not.toContainEqual(
    expect.objectContaining({ to: coreInApp }),
  );
});

test('signing with a certificate that only electron-builder would find is an error', () => {
  expect(signingIdentity({})).toBeUndefined();
  expect(signingIdentity({ CSC_NAME: 'Developer ID' })).toBe('Developer ID');
  expect(() => signingIdentity({ CSC_LINK: 'file.p12' })).toThrow('CSC_NAME');
});

test('what Apple would not notarise is no release (parsec-cloud 12717)', () => {
  const named = { CSC_NAME: 'Developer ID' };
  expect(whyNotNotarised({ APPLE_KEYCHAIN_PROFILE: 'waymaker' })).toMatch('CSC_NAME');
  expect(whyNotNotarised(named)).toMatch('APPLE_API_KEY');
  const half = { ...named, APPLE_API_KEY: 'key.p8', APPLE_API_KEY_ID: '', APPLE_API_ISSUER: '' };
  expect(whyNotNotarised(half)).toMatch('APPLE_API_KEY');
  expect(whyNotNotarised({ ...half, APPLE_API_KEY_ID: '1', APPLE_API_ISSUER: '2' })).toBeUndefined();
  expect(whyNotNotarised({ ...named, APPLE_KEYCHAIN_PROFILE: 'waymaker' })).toBeUndefined();
});

describe.skipIf(without)(`a signed folder${without === undefined ? '' : `: ${without}`}`, () => {
  /** As codesign does, it changes a program's bytes: the flag of the hardened runtime (CS_RUNTIME). */
  const codesign = (program: string): Promise<void> => {
    const bytes = readFileSync(program);
    const directory = bytes.indexOf(Buffer.from('fade0c02', 'hex'));
    bytes.writeUInt32BE(bytes.readUInt32BE(directory + 12) | 0x1_0000, directory + 12);
    writeFileSync(program, bytes);
    return Promise.resolve();
  };
  const given = (name: string) => path.join(scratch, 'given', name);
  const folder = () => path.join(scratch, 'core');

  async function layCore(ofNode = readFileSync(entitlements, 'utf8')): Promise<void> {
    const native = path.join(scratch, 'given/native');
    mkdirSync(native, { recursive: true });
    writeFileSync(given('node'), linkForMacos(ofNode, 'aarch64'));
    writeFileSync(
      path.join(native, 'koffi.node'),
      linkForMacos(readFileSync(entitlements, 'utf8'), 'aarch64'),
    );
    for (const name of ['helper', 'proxy', 'engine', 'cli', 'script-thread'])
      writeFileSync(given(name), `// ${name}\n`);
    await layMacosCore(folder(), {
      node: given('node'),
      helper: given('helper'),
      proxy: given('proxy'),
      engine: given('engine'),
      commandLine: given('cli'),
      scriptThread: given('script-thread'),
      packages: [{ name: 'koffi', folder: native, files: ['koffi.node'] }],
    });
  }

  async function check() {
    const { publicKeys } = await signingKeys({});
    return await checkFolder({
      folder: folder(),
      product: coreProduct,
      trusted: publicKeys.map(publicKeyOf),
    });
  }

  test('the core’s list of files holds after Apple’s signature has changed them', async () => {
    await layCore();
    await signMacosCore(folder(), { version: '1.2.3', keys: await signingKeys({}), codesign });
    expect(await check()).toMatchObject({ ok: true });
    // The other way round, as others had it: signed again after the list was made.
    const node = path.join(folder(), 'node');
    writeFileSync(node, Buffer.concat([readFileSync(node), Buffer.from('signed again')]));
    expect(await check()).toMatchObject({ ok: false, problem: { kind: 'changed', path: 'node' } });
  });

  test('a runtime that still lets a debugger in is refused', async () => {
    const open = readFileSync(entitlements, 'utf8').replace(
      '</dict>',
      '<key>com.apple.security.get-task-allow</key><true/></dict>',
    );
    await layCore(open);
    const keys = await signingKeys({});
    const signing = signMacosCore(folder(), { version: '1.2.3', keys, codesign });
    await expect(signing).rejects.toThrow('node has the entitlement com.apple.security.get-task-allow');
  });

  test('a program that codesign has passed over is refused', async () => {
    await layCore();
    const some = (program: string) => (program.endsWith('.node') ? Promise.resolve() : codesign(program));
    const signing = signMacosCore(folder(), {
      version: '1.2.3',
      keys: await signingKeys({}),
      codesign: some,
    });
    await expect(signing).rejects.toThrow('koffi.node does not have the hardened runtime');
  });
});

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectSignedApp, wrongSignatures } from '../../../packaging/desktop/macos/check-signed-app.ts';
import { readCodeSignatures } from '../../../packaging/desktop/macos/code-signature.ts';
import { linkForMacos, macosProcessors, whyWithoutHeaders } from '../../lab/darwin/compile-for-macos.ts';

const without = whyWithoutHeaders();
const entitlements = readFileSync(
  path.resolve(import.meta.dirname, '../../../packaging/desktop/macos/entitlements.plist'),
  'utf8',
);
/** As Node's official binary for macOS has them. */
const debuggable = entitlements.replace(
  '</dict>',
  '<key>com.apple.security.get-task-allow</key><true/><key>com.apple.security.cs.disable-library-validation</key><true/></dict>',
);

/** The same with the flag that codesign --options runtime sets (XNU, osfmk/kern/cs_blobs.h, CS_RUNTIME). */
function hardened(program: Buffer): Buffer {
  const changed = Buffer.from(program);
  const directory = changed.indexOf(Buffer.from('fade0c02', 'hex'));
  changed.writeUInt32BE(changed.readUInt32BE(directory + 12) | 0x1_0000, directory + 12);
  return changed;
}

/** A program for several processors (<mach-o/fat.h>). */
function joined(programs: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(4_096);
  head.writeUInt32BE(0xcafe_babe, 0);
  head.writeUInt32BE(programs.length, 4);
  let offset = head.length;
  for (const [index, { length }] of programs.entries()) {
    head.writeUInt32BE(offset, 8 + index * 20 + 8);
    head.writeUInt32BE(length, 8 + index * 20 + 12);
    offset += length;
  }
  return Buffer.concat([head, ...programs]);
}

let app = '';
beforeEach(() => {
  app = mkdtempSync(path.join(tmpdir(), 'waymaker-app-'));
});
afterEach(() => rmSync(app, { recursive: true, force: true }));

/** Lays a file in the app. */
function lay(name: string, content: Buffer | string): void {
  const file = path.join(app, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}

test('the app’s only entitlement is to make code while it runs', () => {
  expect([...entitlements.matchAll(/<key>([^<]*)<\/key>/g)].map(([, key]) => key)).toEqual([
    'com.apple.security.cs.allow-jit',
  ]);
});

test('a file that is no program for macOS is an error, and so is an app without programs', () => {
  expect(() => readCodeSignatures(Buffer.alloc(100))).toThrow('not a program for macOS');
  lay('Contents/Info.plist', entitlements);
  expect(wrongSignatures(app)).toEqual([`there is no program for macOS in ${app}`]);
});

describe.skipIf(without)(`signed programs${without === undefined ? '' : `: ${without}`}`, () => {
  test.each(macosProcessors)(
    'on %s, entitlements and the runtime are read as they were signed',
    (processor) => {
      const program = linkForMacos(entitlements, processor);
      expect(readCodeSignatures(program)).toEqual([
        { identifier: 'program', isHardened: false, entitlements },
      ]);
      expect(readCodeSignatures(hardened(program))).toEqual([
        { identifier: 'program', isHardened: true, entitlements },
      ]);
    },
  );

  test('an app is right if each of its programs is, for each processor', () => {
    const [one, other] = macosProcessors.map((processor) => hardened(linkForMacos(entitlements, processor)));
    if (!one || !other) throw new Error('there are two processors');
    lay('Waymaker.app/Contents/MacOS/Waymaker', joined([one, other]));
    lay('Waymaker.app/Contents/Frameworks/Helper', one);
    lay('Waymaker.app/Contents/Resources/notes.txt', 'no program');
    expect(wrongSignatures(app)).toEqual([]);
    expect(() => expectSignedApp({ appOutDir: app })).not.toThrow();
  });

  test('a program that can be debugged, is not hardened or is not signed is named', () => {
    lay('MacOS/plain', linkForMacos(entitlements, 'aarch64'));
    lay('MacOS/node', hardened(linkForMacos(debuggable, 'x86_64')));
    const unsigned = hardened(linkForMacos(entitlements, 'aarch64'));
    // LC_CODE_SIGNATURE becomes a command that says nothing (LC_NOTE).
    const command = unsigned.indexOf(Buffer.from('1d00000010000000', 'hex'));
    unsigned.writeUInt32LE(0x31, command);
    lay('MacOS/unsigned', unsigned);
    expect(wrongSignatures(app).sort()).toEqual([
      'MacOS/node has the entitlement com.apple.security.cs.disable-library-validation',
      'MacOS/node has the entitlement com.apple.security.get-task-allow',
      'MacOS/plain does not have the hardened runtime',
      'MacOS/unsigned is not signed',
    ]);
    expect(() => expectSignedApp({ appOutDir: app })).toThrow('MacOS/unsigned is not signed');
  });
});

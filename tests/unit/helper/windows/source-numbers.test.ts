import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { constants, elsewhere, structures } from './compared.ts';
import { unknownNumbers, type Known } from './source-numbers.ts';

const root = path.resolve(import.meta.dirname, '../../../..');

/** Where Windows' own functions are called; whatever is beside them counts, too. */
const files = ['helper/windows', 'src/node/os/windows', 'src/main']
  .flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map(
      (file) => `${folder}/${file.replaceAll('\\', '/')}`,
    ),
  )
  .filter((file) => file.endsWith('.ts') && file.includes('/windows/'));

/** Numbers that are not Windows', or that have no name in its headers. */
const exceptions = {
  // The mask of a prefix (RFC 4632 §3.1).
  'helper/windows/calls/filter-conditions.ts': ['0xffffffff'],
  // Codes from there on are shown in hexadecimal, as people look them up.
  'helper/windows/calls/system-error.ts': ['0x10000'],
  // RFC 9562 §4.1 and §4.2: the version and the variant.
  'helper/windows/filter/filter-key.ts': ['0x0f', '0x80', '0x3f', '.readUInt8(7)', '.readUInt8(8)'],
  // The highest weight of 16 bits (FWPM_SUBLAYER0).
  'helper/windows/filter/packet-filter.ts': ['0xffff'],
  // Version 2.2 (Microsoft, “WSAStartup”).
  'src/main/self-test/windows/sockets.ts': ['0x0202'],
  // The 32 bits of a union of 64 that are a number (INTERNET_PER_CONN_OPTIONW).
  'src/main/system-proxy/windows/connection-options.ts': ['0xffff_ffffn'],
  // The authority has six bytes (MS-DTYP 2.4.2.2), of which it reads two and four, and writes all.
  'src/node/os/windows/security-identifier.ts': [
    '.getUint32(at + authorityAt + 2)',
    '.writeUIntBE(authority, authorityAt, 6)',
  ],
  // What all others declare their structures with.
  'src/node/os/windows/structure.ts': ['koffi.struct'],
};

const numbersElsewhere = elsewhere.map((list) =>
  Object.fromEntries(
    Object.entries(list).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  ),
);
const known: Known = { structures, constants: [...constants, ...numbersElsewhere], exceptions };

test('every number and structure of Windows is compared with its headers, or has a source', () => {
  expect(files.length).toBeGreaterThan(80);
  const found = files.flatMap((file) =>
    unknownNumbers(file, readFileSync(path.join(root, file), 'utf8'), known).map((one) => `${file}: ${one}`),
  );
  expect(found).toEqual([]);
});

test('every exception is still there', () => {
  const all = { ...known, exceptions: {} };
  for (const [file, allowed] of Object.entries(exceptions)) {
    const found = unknownNumbers(file, readFileSync(path.join(root, file), 'utf8'), all);
    expect(found).toEqual(expect.arrayContaining(allowed));
  }
});

test.each([
  ['const ERROR_NEW = 1234;', 'ERROR_NEW = 1234'],
  ['const codes = { ERROR_NOT_FOUND: 2 };', 'ERROR_NOT_FOUND: 2'],
  ['const TokenOrigin = 17;', 'TokenOrigin = 17'],
  ['export const one = { wlan_intf_opcode_none: 3 };', 'wlan_intf_opcode_none: 3'],
  ['const allRights = 0x1f_0fff;', '0x1f_0fff'],
  ['status.readUInt32LE(12)', '.readUInt32LE(12)'],
  ['list.writeBigUInt64LE(addressOf(sid), at + 8)', '.writeBigUInt64LE(addressOf(sid), at + 8)'],
  ["koffi.struct({ value: 'uint32' })", 'koffi.struct'],
  ["structure('MIB_NEW_ROW', {})", 'MIB_NEW_ROW'],
])('%s is found', (content, found) => {
  expect(unknownNumbers('helper/windows/new.ts', content, known)).toEqual([found]);
});

test.each([
  'const codes = { ERROR_NOT_FOUND: 1168 };',
  'const roots = { HKEY_USERS: -0x7fff_fffd };',
  '/** NEW_NUMBER = 5, which is 0x5. */',
  'const flags = isFinal ? constants.FWP_UINT8 : 0;',
  'type Family = 4 | 6;',
  'const limits = { ActiveProcessLimit: 1 };',
  'status.readUInt32LE(0)',
  'status.readUInt32LE(stateAt)',
])('%s is none', (content) => {
  expect(unknownNumbers('helper/windows/new.ts', content, known)).toEqual([]);
});

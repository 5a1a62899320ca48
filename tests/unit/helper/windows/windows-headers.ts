import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import koffi from 'koffi';
import type { Guid } from '#node/os/windows/guid.ts';
import type { Structure } from '#node/os/windows/structure.ts';

/** The compiler and its headers are in Debian's gcc-mingw-w64-x86-64-win32 and mingw-w64-x86-64-dev. */
const compiler = 'x86_64-w64-mingw32-gcc';
const headersFolder = '/usr/x86_64-w64-mingw32/include';

const preamble = `#define WIN32_LEAN_AND_MEAN
#define _WIN32_WINNT 0x0A00
#include <winsock2.h>
#include <ws2tcpip.h>
#include <mstcpip.h>
#include <windows.h>
#include <iphlpapi.h>
#include <netioapi.h>
#include <fwpmu.h>
#include <rpc.h>
#include <sddl.h>
#include <shellapi.h>
#include <userenv.h>
#include <winsvc.h>
#include <wlanapi.h>
#include <ras.h>
#include <raserror.h>
#include <wininet.h>
#include <stddef.h>
`;

/** A number as our code has it, and as a constant expression of C. */
interface Compared {
  name: string;
  ours: bigint;
  expression: string;
}

/** Sizes of the structure and its members, in bytes, and where each of these begins. */
const numbersOf = ({ name, type, designators, members }: Structure): Compared[] => [
  { name: `size of ${name}`, ours: BigInt(koffi.sizeof(type)), expression: `sizeof(${name})` },
  ...Object.entries(designators).flatMap(([member, designator]) => [
    {
      name: `place of ${name}.${member}`,
      ours: BigInt(koffi.offsetof(type, member)),
      expression: `offsetof(${name}, ${designator})`,
    },
    {
      name: `size of ${name}.${member}`,
      ours: BigInt(koffi.sizeof(members[member] ?? 'void')),
      expression: `sizeof(((${name} *)0)->${designator})`,
    },
  ]),
];

/**
 * Codes are numbers without a sign here, and of several types in the headers; of pointers, all 64 bits count. Negative
 * numbers are handles, which have a sign.
 */
const constantOf = ([name, value]: [string, number | bigint]): Compared => ({
  name,
  ours: BigInt.asUintN(64, BigInt(value)),
  expression:
    typeof value === 'bigint' || value < 0
      ? `(unsigned long long)(ULONG_PTR)${name}`
      : `(unsigned int)(${name})`,
});

/** Numbers by the names that C has for them. */
export type Constants = Readonly<Record<string, number | bigint>>;

/** How our declarations differ from Windows' headers; how many numbers were compared. */
export function compareWithHeaders(
  structures: readonly Structure[],
  constants: readonly Constants[],
): { compared: number; differences: string[] } {
  const all = [
    ...structures.flatMap(numbersOf),
    ...constants.flatMap(Object.entries<number | bigint>).map(constantOf),
  ];
  const theirs = numbersInC(all.map(({ expression }) => expression));
  return {
    compared: all.length,
    differences: all.flatMap(({ name, ours }, index) =>
      ours === theirs[index] ? [] : [`${name}: ${ours}, in the headers ${theirs[index]}`],
    ),
  };
}

/** Constant expressions as the compiler works them out; nothing is run. */
function numbersInC(expressions: readonly string[]): bigint[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'waymaker-headers-'));
  try {
    const [source, object] = ['numbers.c', 'numbers.o'].map((name) => path.join(folder, name)) as [
      string,
      string,
    ];
    writeFileSync(
      source,
      `${preamble}const unsigned long long numbers[] = {\n${expressions.join(',\n')}\n};\n`,
    );
    execFileSync(compiler, ['-c', '-o', object, source], { stdio: ['ignore', 'ignore', 'pipe'] });
    const data = dataOf(readFileSync(object), 'numbers');
    return expressions.map((_, index) => data.readBigUInt64LE(8 * index));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What an object file has from a symbol on (Microsoft, “PE Format”, COFF). */
function dataOf(object: Buffer, wanted: string): Buffer {
  const [symbols, count] = [object.readUInt32LE(8), object.readUInt32LE(12)];
  const [headerBytes, sectionBytes, symbolBytes] = [20, 40, 18];
  for (let index = 0; index < count; index += 1) {
    const symbol = object.subarray(symbols + index * symbolBytes);
    if (symbol.toString('latin1', 0, 8).replace(/\0+$/, '') === wanted) {
      const section = headerBytes + (symbol.readInt16LE(12) - 1) * sectionBytes;
      return object.subarray(object.readUInt32LE(section + 20) + symbol.readUInt32LE(8));
    }
    index += symbol.readUInt8(17);
  }
  throw new Error(`no symbol ${wanted}`);
}

/** An identifier of a known folder, which no constant expression is; undefined if there is none of that name. */
export function identifierInHeaders(name: string): Guid | undefined {
  const header = readFileSync(path.join(headersFolder, 'knownfolders.h'), 'latin1');
  const parts = new RegExp(String.raw`\(${name},((?:\s*0x[\da-f]+,?){11})\)`).exec(header)?.[1];
  if (parts === undefined) return undefined;
  const [first = '', ...rest] = parts.split(',').map((part) => part.trim().slice('0x'.length));
  const bytes = rest
    .slice(2)
    .map((byte) => byte.padStart(2, '0'))
    .join('');
  const [second = '', third = ''] = rest.map((part) => part.padStart(4, '0'));
  return `${first.padStart(8, '0')}-${second}-${third}-${bytes.slice(0, 4)}-${bytes.slice(4)}`;
}

const searched = [
  'fwpmu.h',
  'fwptypes.h',
  'fwpmtypes.h',
  'windns.h',
  'netioapi.h',
  'iphlpapi.h',
  'wlantypes.h',
  'wlanapi.h',
  'windot11.h',
  'processthreadsapi.h',
  'winnt.h',
  'winbase.h',
];
let headers: string | undefined;

/** Whether a word is in the headers that we include, whatever it means there. */
export function isInHeaders(word: string): boolean {
  headers ??= searched.map((file) => readFileSync(path.join(headersFolder, file), 'latin1')).join('\n');
  return headers.includes(word);
}

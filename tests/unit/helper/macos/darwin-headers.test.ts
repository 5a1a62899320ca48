import { describe, expect, test } from 'vitest';
import {
  constants,
  layouts,
  layoutsWithoutHeader,
  withoutHeader,
} from '../../../../helper/macos/calls/darwin.ts';
import {
  compileForMacos,
  macosProcessors,
  whyWithoutHeaders,
  type MacosProcessor,
} from '../../../lab/darwin/compile-for-macos.ts';
import { readMachoSection } from '../../../lab/darwin/read-macho-section.ts';

const without = whyWithoutHeaders();

const headers = `
#include <stddef.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <sys/socket.h>
#include <sys/sockio.h>
#include <sys/sysctl.h>
#include <sys/ioctl.h>
#include <sys/kern_control.h>
#include <sys/ucred.h>
#include <sys/un.h>
#include <net/if.h>
#include <net/if_dl.h>
#include <net/if_var.h>
#include <net/route.h>
#include <netinet/in.h>
`;

/** Every number with how C calls it. */
function numbersOf(
  structures: Readonly<Record<string, Readonly<Record<string, number>>>>,
  plain: Readonly<Record<string, number>>,
): Map<string, { expression: string; ours: number }> {
  const found = new Map<string, { expression: string; ours: number }>();
  for (const [name, value] of Object.entries(plain))
    found.set(name, { expression: `(long long)(${name})`, ours: value });
  for (const [structure, { size, ...members }] of Object.entries(structures)) {
    if (size !== undefined)
      found.set(`sizeof ${structure}`, { expression: `sizeof(struct ${structure})`, ours: size });
    for (const [member, offset] of Object.entries(members)) {
      const expression = `offsetof(struct ${structure}, ${member})`;
      found.set(`${structure}.${member}`, { expression, ours: offset });
    }
  }
  return found;
}

const ours = numbersOf(layouts, constants);

/** A file with all these numbers one after the other in a section of its own. */
const sourceOf = (expressions: readonly string[]) => `${headers}
__attribute__((used, section("__DATA,__numbers"))) const long long numbers[] = {
${expressions.map((expression) => `  ${expression},`).join('\n')}
};
`;

function numbersOfHeaders(expressions: readonly string[], processor: MacosProcessor): number[] {
  const compiled = compileForMacos(sourceOf(expressions), processor);
  if ('refusal' in compiled) throw new Error(compiled.refusal);
  const section = readMachoSection(compiled.object, '__numbers');
  return Array.from({ length: section.length / 8 }, (_, index) => Number(section.readBigInt64LE(index * 8)));
}

describe.skipIf(without)(`macOS's own headers${without === undefined ? '' : `: ${without}`}`, () => {
  test.each(macosProcessors)('structures and constants are those of the headers on %s', (processor) => {
    const names = [...ours.keys()];
    const found = numbersOfHeaders(
      names.map((name) => ours.get(name)?.expression ?? ''),
      processor,
    );
    const theirs = Object.fromEntries(names.map((name, index) => [name, found[index]]));
    expect(theirs).toEqual(Object.fromEntries([...ours].map(([name, { ours: value }]) => [name, value])));
  });

  test('a structure that is four bytes larger than in the headers is noticed', () => {
    const other = sourceOf(['sizeof(struct changed)']).replace(
      '__attribute__',
      'struct changed { struct rt_msghdr header; int more; };\n__attribute__',
    );
    const compiled = compileForMacos(other, 'aarch64');
    if ('refusal' in compiled) throw new Error(compiled.refusal);
    const section = readMachoSection(compiled.object, '__numbers');
    expect(Number(section.readBigInt64LE(0))).toBe(layouts.rt_msghdr.size + 4);
  });

  test('what is listed as absent from the headers is absent from them', () => {
    const refused = Object.keys(withoutHeader).filter((name) => {
      const compiled = compileForMacos(sourceOf([`(long long)(${name})`]), 'aarch64');
      return 'refusal' in compiled && /undeclared identifier/.test(compiled.refusal);
    });
    expect(refused).toEqual(Object.keys(withoutHeader));
    const refusedStructures = Object.keys(layoutsWithoutHeader).filter((name) => {
      const compiled = compileForMacos(sourceOf([`sizeof(struct ${name})`]), 'aarch64');
      return 'refusal' in compiled && /incomplete type/.test(compiled.refusal);
    });
    expect(refusedStructures).toEqual(Object.keys(layoutsWithoutHeader));
  });

  test('requests for IPv6 addresses have the sizes that their numbers say', () => {
    // The lower 13 bits of the upper half are the size (<sys/ioccom.h>, IOCPARM_MASK).
    const sizeIn = (request: number) => (request >>> 16) & 0x1fff;
    expect(sizeIn(withoutHeader.SIOCAIFADDR_IN6)).toBe(layoutsWithoutHeader.in6_aliasreq.size);
    expect(sizeIn(withoutHeader.SIOCDIFADDR_IN6)).toBe(layoutsWithoutHeader.in6_ifreq.size);
  });
});

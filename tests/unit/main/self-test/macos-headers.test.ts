import { describe, expect, test } from 'vitest';
import {
  bindingConstants,
  bpfConstants,
  bpfHeader,
  framesIn,
} from '../../../../src/main/self-test/macos/bpf.ts';
import {
  compileForMacos,
  macosProcessors,
  whyWithoutHeaders,
  type MacosProcessor,
} from '../../../lab/darwin/compile-for-macos.ts';
import { readMachoSection } from '../../../lab/darwin/read-macho-section.ts';

/** What the self-test uses of macOS's own headers to see what leaves. */

const without = whyWithoutHeaders();
/** How XNU's bsd/net/bpf.h defines the requests. */
const requests = {
  BIOCSBLEN: "_IOWR('B', 102, unsigned)",
  BIOCSETIF: "_IOW('B', 108, struct ifreq)",
  BIOCIMMEDIATE: "_IOW('B', 112, unsigned)",
  BIOCSSEESENT: "_IOW('B', 119, unsigned)",
  BIOCSHDRCMPLT: "_IOW('B', 117, unsigned)",
  BIOCGDLT: "_IOR('B', 106, unsigned)",
  BIOCGSTATS: "_IOR('B', 111, unsigned[2])",
} as const;

function numbersOfHeaders(expressions: readonly string[], processor: MacosProcessor): number[] {
  const compiled = compileForMacos(
    `#include <stddef.h>
    #include <sys/types.h>
    #include <sys/ioctl.h>
    #include <sys/socket.h>
    #include <net/if.h>
    #include <netinet/in.h>
    __attribute__((used, section("__DATA,__numbers"))) const long long numbers[] = {
      ${expressions.map((expression) => `(long long)(${expression})`).join(', ')}
    };`,
    processor,
  );
  if ('refusal' in compiled) throw new Error(compiled.refusal);
  const section = readMachoSection(compiled.object, '__numbers');
  return Array.from({ length: section.length / 8 }, (_, index) => Number(section.readBigInt64LE(index * 8)));
}

describe.skipIf(without)(`macOS's own headers${without === undefined ? '' : `: ${without}`}`, () => {
  test.each(macosProcessors)('requests and options are those of the headers on %s', (processor) => {
    const names = Object.keys(bindingConstants);
    const found = numbersOfHeaders([...names, ...Object.values(requests)], processor);
    expect(found.slice(0, names.length)).toEqual(Object.values(bindingConstants));
    const { DLT_EN10MB: _, ...ours } = bpfConstants;
    expect(found.slice(names.length)).toEqual(Object.values(ours));
  });

  test('there is no header with what is taken from elsewhere', () => {
    expect(compileForMacos('#include <net/bpf.h>\n', 'aarch64')).toHaveProperty('refusal');
  });
});

test('each frame of one read is found, whatever fills the space between them', () => {
  const record = (frame: Buffer) => {
    const header = Buffer.alloc(20, 0xee);
    header.writeUInt32LE(frame.length, bpfHeader.bh_caplen);
    header.writeUInt32LE(frame.length, bpfHeader.bh_datalen);
    header.writeUInt16LE(header.length, bpfHeader.bh_hdrlen);
    const whole = Buffer.concat([header, frame]);
    return Buffer.concat([whole, Buffer.alloc((4 - (whole.length % 4)) % 4, 0xee)]);
  };
  const frames = [Buffer.from('one'), Buffer.from('four'), Buffer.alloc(60, 7)];
  expect(framesIn(Buffer.concat(frames.map(record)))).toEqual(frames);
  // The last one has nothing after it.
  expect(framesIn(record(Buffer.from('one')).subarray(0, 23))).toEqual([Buffer.from('one')]);
  expect(framesIn(Buffer.alloc(0))).toEqual([]);
  expect(framesIn(Buffer.alloc(64))).toEqual([]);
});

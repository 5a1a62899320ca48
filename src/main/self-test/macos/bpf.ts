import { closeSync, constants as fileConstants, openSync } from 'node:fs';
import koffi from 'koffi';
import type { PacketSocket } from '../checks/packet-socket.ts';

/**
 * What is used of <net/bpf.h>, which is not among the public headers that can be had here: as in XNU's bsd/net/bpf.h,
 * and in golang.org/x/sys (unix/zerrors_darwin_arm64.go, ztypes_darwin_arm64.go), which is made of that. That a
 * request's number fits the structure that it is given is compared in
 * `tests/unit/main/self-test/macos-headers.test.ts`.
 */
export const bpfConstants = {
  BIOCSBLEN: 0xc004_4266,
  BIOCSETIF: 0x8020_426c,
  BIOCIMMEDIATE: 0x8004_4270,
  BIOCSSEESENT: 0x8004_4277,
  BIOCSHDRCMPLT: 0x8004_4275,
  BIOCGDLT: 0x4004_426a,
  BIOCGSTATS: 0x4008_426f,
  DLT_EN10MB: 1,
} as const;

/** Of <netinet/in.h> and <netinet6/in6.h>. */
export const bindingConstants = {
  IPPROTO_IP: 0,
  IP_BOUND_IF: 25,
  IPPROTO_IPV6: 41,
  IPV6_BOUND_IF: 125,
} as const;

/** struct bpf_hdr, whose `bh_tstamp` has 32-bit fields. Its size is in `bh_hdrlen`. */
export const bpfHeader = { bh_caplen: 8, bh_datalen: 12, bh_hdrlen: 16 } as const;
/** BPF_WORDALIGN. */
const alignment = 4;

type Call = (...given: unknown[]) => number;
interface Calls {
  ioctl: Call;
  read: Call;
  write: Call;
  setsockopt: Call;
  if_nametoindex: Call;
}
let loaded: Calls | undefined;

/** `library`: a file, or null for what this process has loaded already. */
function loadBpfCalls(library: string | null): Calls {
  const libc = koffi.load(library);
  const declared = (declaration: string) => libc.func(declaration) as unknown as Call;
  return {
    // Variadic, which Apple's processors pass in another way.
    ioctl: declared('int ioctl(int, unsigned long, ...)'),
    read: declared('long read(int, _Out_ uint8_t *, size_t)'),
    write: declared('long write(int, uint8_t *, size_t)'),
    setsockopt: declared('int setsockopt(int, int, int, uint8_t *, uint32_t)'),
    if_nametoindex: declared('uint32_t if_nametoindex(const char *)'),
  };
}

const calls = (): Calls => (loaded ??= loadBpfCalls(null));

function checked(call: string, result: number): number {
  if (result < 0) throw new Error(`${call}: errno ${koffi.errno()}`);
  return result;
}

const roomBytes = 512 * 1024;
const nameBytes = 16;
const requestBytes = 32;

const number = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value, 0);
  return bytes;
};

/** The next of /dev/bpf* that nobody has. Other programs keep theirs open for as long as they run. */
function openFree(): number {
  let last: unknown;
  for (let index = 0; index < 256; index += 1) {
    try {
      return openSync(`/dev/bpf${index}`, fileConstants.O_RDWR | fileConstants.O_NONBLOCK);
    } catch (error) {
      last = error;
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'EBUSY') break;
    }
  }
  throw new Error('no /dev/bpf can be opened', { cause: last });
}

/**
 * Frames of a device by bpf(4), sent ones too. Throws if the system refuses, or the device's frames are not Ethernet's.
 */
export function openBpf(device: string): PacketSocket {
  const { ioctl, read, write } = calls();
  const descriptor = openFree();
  const control = (name: keyof typeof bpfConstants, argument: Buffer) =>
    checked(name, ioctl(descriptor, bpfConstants[name], 'void *', argument));
  try {
    // Before the device is chosen.
    control('BIOCSBLEN', number(roomBytes));
    const request = Buffer.alloc(requestBytes);
    request.write(device, 0, nameBytes - 1, 'latin1');
    control('BIOCSETIF', request);
    control('BIOCIMMEDIATE', number(1));
    control('BIOCSSEESENT', number(1));
    control('BIOCSHDRCMPLT', number(1));
    const kind = number(0);
    control('BIOCGDLT', kind);
    // A tunnel's packets, for example, have another header (DLT_NULL).
    if (kind.readUInt32LE(0) !== bpfConstants.DLT_EN10MB)
      throw new Error(`${device} has no frames of Ethernet`);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  const buffer = Buffer.alloc(roomBytes);
  let frames: Buffer[] = [];
  let dropped = 0;
  return {
    next() {
      if (frames.length === 0) {
        const length = read(descriptor, buffer, buffer.length);
        if (length > 0) frames = framesIn(buffer.subarray(0, length));
      }
      return frames.shift();
    },
    send: (frame) => void checked('write', write(descriptor, Buffer.from(frame), frame.length)),
    lost() {
      // struct bpf_stat: received, and dropped, since it was opened.
      const statistics = Buffer.alloc(8);
      control('BIOCGSTATS', statistics);
      const before = dropped;
      dropped = statistics.readUInt32LE(4);
      return dropped - before;
    },
    close: () => closeSync(descriptor),
  };
}

/** What one read gives: each frame with a header, at a multiple of four bytes. */
export function framesIn(bytes: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = 0; at + bpfHeader.bh_hdrlen + 2 <= bytes.length;) {
    const captured = bytes.readUInt32LE(at + bpfHeader.bh_caplen);
    const header = bytes.readUInt16LE(at + bpfHeader.bh_hdrlen);
    if (header === 0) break;
    found.push(Buffer.from(bytes.subarray(at + header, at + header + captured)));
    at += Math.ceil((header + captured) / alignment) * alignment;
  }
  return found;
}

/** Has a socket send by a device alone, whatever the routing says (IP_BOUND_IF). */
export function bindToInterface(descriptor: number, device: string, isIpv6: boolean): void {
  const { setsockopt, if_nametoindex } = calls();
  const index = number(if_nametoindex(device));
  const { IPPROTO_IP, IPPROTO_IPV6, IP_BOUND_IF, IPV6_BOUND_IF } = bindingConstants;
  const [level, option] = isIpv6 ? [IPPROTO_IPV6, IPV6_BOUND_IF] : [IPPROTO_IP, IP_BOUND_IF];
  checked('IP_BOUND_IF', setsockopt(descriptor, level, option, index, index.length));
}

import { addressOf, changed, loadLibrary, returned, steadyMemory } from '#node/os/windows/native-library.ts';
import { bytes, placeOf, sizeOf, structure } from '#node/os/windows/structure.ts';

/**
 * Of <winsock2.h>, <mstcpip.h> and <ws2tcpip.h>; compared with mingw's in `tests/unit/helper/windows/layouts.test.ts`.
 */
export const socketConstants = {
  AF_INET: 2,
  AF_INET6: 23,
  SOCK_RAW: 3,
  IPPROTO_IP: 0,
  IPPROTO_IPV6: 41,
  SIO_RCVALL: 0x9800_0001,
  RCVALL_ON: 1,
  FIONBIO: 0x8004_667e,
  SOL_SOCKET: 0xffff,
  SO_RCVBUF: 0x1002,
} as const;

/** What WSAStartup says of Windows' sockets. */
export const WSADATA = structure('WSADATA', {
  wVersion: 'uint16',
  wHighVersion: 'uint16',
  iMaxSockets: 'uint16',
  iMaxUdpDg: 'uint16',
  lpVendorInfo: 'uintptr',
  szDescription: bytes(257),
  szSystemStatus: bytes(129),
});

export const SOCKADDR_IN = structure('SOCKADDR_IN', {
  sin_family: 'uint16',
  sin_port: 'uint16',
  sin_addr: bytes(4),
  sin_zero: bytes(8),
});

const roomBytes = 4 * 1024 * 1024;
const largest = 65_536;
/** 2.2, in two bytes (Microsoft, “WSAStartup”). */
const version = 0x0202;

function load() {
  const winsock = loadLibrary('ws2_32.dll');
  return {
    startup: winsock.bind('WSAStartup', 'int', ['uint16', 'void *']),
    socket: winsock.bind('socket', 'uintptr', ['int', 'int', 'int']),
    bind: winsock.bind('bind', 'int', ['uintptr', 'void *', 'int']),
    setOption: winsock.bind('setsockopt', 'int', ['uintptr', 'int', 'int', 'void *', 'int']),
    control: winsock.bind('ioctlsocket', 'int', ['uintptr', 'int32', changed('uint32')]),
    ioctl: winsock.bind('WSAIoctl', 'int', [
      'uintptr',
      'uint32',
      'void *',
      'uint32',
      'void *',
      'uint32',
      returned('uint32'),
      'void *',
      'void *',
    ]),
    receive: winsock.bind('recv', 'int', ['uintptr', 'void *', 'int', 'int']),
    close: winsock.bind('closesocket', 'int', ['uintptr']),
    lastError: winsock.bind('WSAGetLastError', 'int', []),
  };
}

let loaded: ReturnType<typeof load> | undefined;

/** Packets of a device, in both directions, without frames around them. */
export interface RawCapture {
  /** The next one that has come or gone; undefined if there is none now. */
  next(): Buffer | undefined;
  close(): void;
}

/**
 * By a raw socket that receives all (SIO_RCVALL), which only administrators may have. Throws if the system refuses. It
 * shows whole packets of IPv4. Some drivers do not show what is sent, and so only what a control has seen counts.
 */
export function openRawCapture(address: string): RawCapture {
  const { AF_INET, SOCK_RAW, IPPROTO_IP, SIO_RCVALL, RCVALL_ON, FIONBIO, SOL_SOCKET, SO_RCVBUF } =
    socketConstants;
  const calls = (loaded ??= load());
  const failed = (call: string) => new Error(`${call}: error ${Number(calls.lastError())}`);
  if (Number(calls.startup(version, steadyMemory(sizeOf(WSADATA)))) !== 0) throw failed('WSAStartup');
  const handle = BigInt(calls.socket(AF_INET, SOCK_RAW, IPPROTO_IP) as number | bigint);
  if (BigInt.asIntN(64, handle) === -1n) throw failed('socket');
  const expect = (call: string, result: unknown) => {
    if (Number(result) === 0) return;
    const error = failed(call);
    calls.close(handle);
    throw error;
  };
  const placeBytes = sizeOf(SOCKADDR_IN);
  const place = steadyMemory(placeBytes);
  place.writeUInt16LE(AF_INET, placeOf(SOCKADDR_IN, 'sin_family'));
  const addressAt = placeOf(SOCKADDR_IN, 'sin_addr');
  for (const [index, part] of address.split('.').entries()) place.writeUInt8(Number(part), addressAt + index);
  expect('bind', calls.bind(handle, place, placeBytes));
  const number = (value: number) => {
    const memory = steadyMemory(4);
    memory.writeUInt32LE(value, 0);
    return memory;
  };
  calls.setOption(handle, SOL_SOCKET, SO_RCVBUF, number(roomBytes), 4);
  const all = number(RCVALL_ON);
  expect('SIO_RCVALL', calls.ioctl(handle, SIO_RCVALL, all, 4, null, 0, [0], null, null));
  expect('FIONBIO', calls.control(handle, FIONBIO | 0, [1]));
  const buffer = steadyMemory(largest);
  // The system writes to where this is.
  addressOf(buffer);
  return {
    next() {
      const length = Number(calls.receive(handle, buffer, largest, 0));
      return length > 0 ? Buffer.from(buffer.subarray(0, length)) : undefined;
    },
    close: () => void calls.close(handle),
  };
}

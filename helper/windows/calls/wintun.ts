import { guidBytes, type Guid } from '#node/os/windows/guid.ts';
import type { Luid } from './ip-helper.ts';
import { loadLibrary, returned } from '#node/os/windows/native-library.ts';
import { SystemError } from './system-error.ts';

/** wintun.dll 0.14.1, whose interface wintun.h describes. */
export interface Wintun {
  /**
   * Makes a network adapter, which exists until it is closed or its process ends. Rejects if the driver refuses; in
   * another thread, since that may take 15 s (tailscale 5531).
   */
  createAdapter(name: string, guid: Guid): Promise<WintunAdapter>;
}

export interface WintunAdapter {
  readonly luid: Luid;
  /** Brings it up. Throws `SystemError`. */
  startSession(): WintunSession;
  close(): void;
}

/** The adapter's two rings of packets, in memory that is shared with the driver. */
export interface WintunSession {
  /** An event that is signalled when there is a packet, after there was none. */
  readonly readEvent: number;
  /** Copies the next packet that this machine sends to `into`, which has room for the largest; its length. */
  receive(into: Buffer): number | 'empty' | 'ended';
  /** Gives this machine a packet. */
  send(packet: Buffer): 'sent' | 'full' | 'ended';
  end(): void;
}

/** Between WINTUN_MIN_RING_CAPACITY and WINTUN_MAX_RING_CAPACITY, a power of two. */
const ringBytes = 16 * 1024 * 1024;

/** What wintun.h says that its functions fail with, of <winerror.h>. */
export const wintunCodes = {
  ERROR_HANDLE_EOF: 38,
  ERROR_BUFFER_OVERFLOW: 111,
  ERROR_NO_MORE_ITEMS: 259,
} as const;

/** The type of an adapter, for people. */
const tunnelType = 'Waymaker';

/** `library`: the file of wintun.dll. Throws if there is none. */
export function createWintun(library: string, kernel32 = 'kernel32.dll'): Wintun {
  const { bind, bindWaiting } = loadLibrary(library);
  const kernel = loadLibrary(kernel32);
  const native = {
    createAdapter: bindWaiting('WintunCreateAdapter', 'intptr', ['str16', 'str16', 'void *']),
    closeAdapter: bind('WintunCloseAdapter', 'void', ['intptr']),
    adapterLuid: bind('WintunGetAdapterLUID', 'void', ['intptr', returned('uint64')]),
    startSession: bind('WintunStartSession', 'intptr', ['intptr', 'uint32']),
    endSession: bind('WintunEndSession', 'void', ['intptr']),
    readEvent: bind('WintunGetReadWaitEvent', 'intptr', ['intptr']),
    receive: bind('WintunReceivePacket', 'uintptr', ['intptr', returned('uint32')]),
    release: bind('WintunReleaseReceivePacket', 'void', ['intptr', 'uintptr']),
    allocate: bind('WintunAllocateSendPacket', 'uintptr', ['intptr', 'uint32']),
    send: bind('WintunSendPacket', 'void', ['intptr', 'uintptr']),
    lastError: kernel.bind('GetLastError', 'uint32', []),
    copyOut: kernel.bind('RtlMoveMemory', 'void', ['void *', 'uintptr', 'size_t']),
    copyIn: kernel.bind('RtlMoveMemory', 'void', ['uintptr', 'void *', 'size_t']),
  };
  const failed = (call: string) => new SystemError(call, Number(native.lastError()));

  function sessionOf(session: number): WintunSession {
    const size: unknown[] = [0];
    return {
      readEvent: Number(native.readEvent(session)),
      receive(into) {
        const packet = native.receive(session, size);
        if (Number(packet) === 0) {
          const code = Number(native.lastError());
          if (code === wintunCodes.ERROR_NO_MORE_ITEMS) return 'empty';
          if (code === wintunCodes.ERROR_HANDLE_EOF) return 'ended';
          throw new SystemError('WintunReceivePacket', code);
        }
        const length = Number(size[0]);
        if (length > into.length) throw new RangeError('no room for a packet');
        native.copyOut(into, packet, length);
        native.release(session, packet);
        return length;
      },
      send(packet) {
        const room = native.allocate(session, packet.length);
        if (Number(room) === 0) {
          const code = Number(native.lastError());
          if (code === wintunCodes.ERROR_BUFFER_OVERFLOW) return 'full';
          if (code === wintunCodes.ERROR_HANDLE_EOF) return 'ended';
          throw new SystemError('WintunAllocateSendPacket', code);
        }
        native.copyIn(room, packet, packet.length);
        native.send(session, room);
        return 'sent';
      },
      end: () => void native.endSession(session),
    };
  }

  return {
    async createAdapter(name, guid) {
      const adapter = Number(await native.createAdapter(name, tunnelType, guidBytes(guid)));
      // Why is only known to the thread that has called it.
      if (adapter === 0) throw new Error('WintunCreateAdapter failed');
      const luid: unknown[] = [0];
      native.adapterLuid(adapter, luid);
      return {
        luid: BigInt(luid[0] as number | bigint),
        startSession() {
          const session = Number(native.startSession(adapter, ringBytes));
          if (session === 0) throw failed('WintunStartSession');
          return sessionOf(session);
        },
        close: () => void native.closeAdapter(adapter),
      };
    },
  };
}

/**
 * Removes the driver, unless an adapter of any program still uses it, or it was never installed: all programs that come
 * with Wintun share one driver.
 */
export function removeWintunDriver(library: string): void {
  const remove = loadLibrary(library).bind('WintunDeleteDriver', 'int', []);
  if (Number(remove()) === 0)
    throw new Error('the driver of Wintun stays: something uses it, or there is none');
}

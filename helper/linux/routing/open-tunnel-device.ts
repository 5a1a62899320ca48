import { closeSync, openSync } from 'node:fs';
import koffi from 'koffi';
import type { OpenedDevice } from '../../system/ports/tunnel-device-port.ts';

/** Constants of <linux/if_tun.h>, and the size of `struct ifreq` with its name (<linux/if.h>). */
const TUNSETIFF = 0x4004_54ca;
const IFF_TUN = 0x0001;
const IFF_NO_PI = 0x1000;
const requestBytes = 40;
const nameBytes = 16;

type Ioctl = (descriptor: number, request: number, argument: Buffer) => unknown;
let ioctl: Ioctl | undefined;

/**
 * Opens a TUN device that need not exist yet: the file is connected with it later, for all who have inherited it by then,
 * since descriptors that are inherited are the same open file (open(2)).
 */
export function openTunnelDevice(name: string): OpenedDevice {
  // Closed in programs that do not inherit it on purpose: Node opens files so.
  const descriptor = openSync('/dev/net/tun', 'r+');
  let isOpen = true;
  return {
    descriptor,
    attach() {
      ioctl ??= koffi.load(null).func('int ioctl(int, unsigned long, uint8_t *)') as Ioctl;
      const request = Buffer.alloc(requestBytes);
      request.write(name, 0, nameBytes - 1, 'latin1');
      request.writeUInt16LE(IFF_TUN | IFF_NO_PI, nameBytes);
      if (Number(ioctl(descriptor, TUNSETIFF, request)) !== 0)
        throw new Error(`there is no device ${name}: errno ${koffi.errno()}`);
    },
    close() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

import { closeSync, openSync } from 'node:fs';
import koffi from 'koffi';
import type { OpenedDevice } from '../../system/ports/tunnel-device-port.ts';

/** Constants of <linux/if_tun.h>, and the size of `struct ifreq` with its name (<linux/if.h>). */
const TUNSETIFF = 0x4004_54ca;
const TUNSETOFFLOAD = 0x4004_54d0;
const IFF_TUN = 0x0001;
const IFF_NO_PI = 0x1000;
const IFF_VNET_HDR = 0x4000;
const requestBytes = 40;
const nameBytes = 16;

type Functions = {
  ioctl: (descriptor: number, request: number, argument: Buffer) => unknown;
  ioctlWithNumber: (descriptor: number, request: number, argument: number) => unknown;
};
let functions: Functions | undefined;

function load(): Functions {
  const library = koffi.load(null);
  return {
    ioctl: library.func('int ioctl(int, unsigned long, uint8_t *)') as Functions['ioctl'],
    ioctlWithNumber: library.func(
      'int ioctl(int, unsigned long, unsigned long)',
    ) as Functions['ioctlWithNumber'],
  };
}

/**
 * Opens a TUN device that need not exist yet: the file is connected with it later, for all who have inherited it by
 * then, since descriptors that are inherited are the same open file (open(2)). Each packet has a virtio header in
 * front; whoever has the descriptor can take over more of the system's work with it (TUNSETOFFLOAD).
 */
export function openTunnelDevice(name: string): OpenedDevice & { readonly inherited: number } {
  // Closed in programs that do not inherit it on purpose: Node opens files so.
  const descriptor = openSync('/dev/net/tun', 'r+');
  let isOpen = true;
  return {
    inherited: descriptor,
    attach() {
      const { ioctl, ioctlWithNumber } = (functions ??= load());
      const request = Buffer.alloc(requestBytes);
      request.write(name, 0, nameBytes - 1, 'latin1');
      request.writeUInt16LE(IFF_TUN | IFF_NO_PI | IFF_VNET_HDR, nameBytes);
      if (Number(ioctl(descriptor, TUNSETIFF, request)) !== 0)
        throw new Error(`there is no device ${name}: errno ${koffi.errno()}`);
      // The device keeps what another descriptor has taken over.
      if (Number(ioctlWithNumber(descriptor, TUNSETOFFLOAD, 0)) !== 0)
        throw new Error(`the device does not cut its packets: errno ${koffi.errno()}`);
    },
    close() {
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

import { constants, layouts, withoutHeader } from './darwin.ts';
import { CallFailed, type Libc } from './libc.ts';

/**
 * A socket that becomes a device. Who has inherited its descriptor has the device, too, which ends with the last one.
 */
export interface UtunSocket {
  descriptor: number;
  /** Makes the device, with the first free number, and returns the name that the system gives it, such as utun4. */
  makeDevice(): string;
}

const { ctl_info, sockaddr_ctl } = layouts;
const control = 'com.apple.net.utun_control';

/** The system may have no room for a device (ENOBUFS), for as long as another one ends (open radar 15323284). */
const tries = 5;

/**
 * Opens a socket for a utun (XNU, bsd/net/if_utun.c; needs root). Each packet that is read or written later has four
 * bytes in front: its family as a big-endian number (`AF_INET`, `AF_INET6`). Throws `CallFailed`.
 */
export function openUtunSocket(libc: Libc): UtunSocket {
  const descriptor = libc.socket(constants.AF_SYSTEM, constants.SOCK_DGRAM, withoutHeader.SYSPROTO_CONTROL);
  try {
    libc.closeOnExec(descriptor);
    const info = Buffer.alloc(ctl_info.size);
    info.write(control, ctl_info.ctl_name, 'latin1');
    libc.ioctl(descriptor, constants.CTLIOCGINFO, info);
    const address = Buffer.alloc(sockaddr_ctl.size);
    address.writeUInt8(sockaddr_ctl.size, sockaddr_ctl.sc_len);
    address.writeUInt8(constants.AF_SYSTEM, sockaddr_ctl.sc_family);
    address.writeUInt16LE(withoutHeader.AF_SYS_CONTROL, sockaddr_ctl.ss_sysaddr);
    address.writeUInt32LE(info.readUInt32LE(ctl_info.ctl_id), sockaddr_ctl.sc_id);
    // The number of the device and one; 0: any.
    address.writeUInt32LE(0, sockaddr_ctl.sc_unit);
    return {
      descriptor,
      makeDevice() {
        connect(libc, descriptor, address);
        const name = libc.getOption(
          descriptor,
          withoutHeader.SYSPROTO_CONTROL,
          withoutHeader.UTUN_OPT_IFNAME,
          Buffer.alloc(constants.IFNAMSIZ),
        );
        return name.toString('latin1').replace(/\0.*$/s, '');
      },
    };
  } catch (error) {
    libc.close(descriptor);
    throw error;
  }
}

function connect(libc: Libc, descriptor: number, address: Buffer): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return libc.connect(descriptor, address);
    } catch (error) {
      const isShort = error instanceof CallFailed && error.errno === constants.ENOBUFS;
      if (!isShort || attempt === tries) throw error;
    }
  }
}

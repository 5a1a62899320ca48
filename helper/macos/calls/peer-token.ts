import { constants, layouts } from './darwin.ts';
import type { Libc } from './libc.ts';

/** Who is at the other end of a Unix socket, as the kernel says. */
export interface Peer {
  /**
   * `audit_token_t` (<mach/message.h>): names one run of one program, also after its pid has passed to another. The
   * kernel takes that of the last process that has used the socket, so it is the same before and after a request only
   * if nobody else has.
   */
  token: Buffer;
  pid: number;
  uid: number;
  gids: number[];
}

const { xucred } = layouts;
const tokenBytes = 32;

/** By the socket's descriptor (XNU, bsd/sys/un.h). Throws if the kernel does not say. */
export function readPeer(libc: Libc, descriptor: number): Peer {
  const option = (name: number, size: number) => {
    const value = libc.getOption(descriptor, constants.SOL_LOCAL, name, Buffer.alloc(size));
    if (value.length !== size)
      throw new Error('the kernel does not say who is at the other end of the socket');
    return value;
  };
  const token = option(constants.LOCAL_PEERTOKEN, tokenBytes);
  const credentials = option(constants.LOCAL_PEERCRED, xucred.size);
  if (credentials.readUInt32LE(xucred.cr_version) !== constants.XUCRED_VERSION)
    throw new Error('the kernel says in another form who is at the other end of the socket');
  const groups = Math.min(credentials.readInt16LE(xucred.cr_ngroups), (xucred.size - xucred.cr_groups) / 4);
  return {
    token,
    pid: option(constants.LOCAL_PEERPID, 4).readInt32LE(),
    uid: credentials.readUInt32LE(xucred.cr_uid),
    gids: Array.from({ length: Math.max(0, groups) }, (_, index) =>
      credentials.readUInt32LE(xucred.cr_groups + index * 4),
    ),
  };
}

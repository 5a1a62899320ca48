/** What a utun device has in front of each packet (XNU, bsd/net/if_utun.c). */
export const familyBytes = 4;

/** The numbers of families in <sys/socket.h>, as big-endian numbers, by the packet's version. */
const families = new Map([
  [4, Buffer.from([0, 0, 0, 2])],
  [6, Buffer.from([0, 0, 0, 30])],
]);

export const familyOf = (version: number): Buffer | undefined => families.get(version);

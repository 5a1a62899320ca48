/**
 * Our part of the 32 bits of packet marks, which all programs share: others use flags (Tailscale 0xff0000, Kubernetes
 * 0xc000) or small numbers.
 */
const base = 0x57000000;
const uidMask = 0xffffff;

/** The mark for the sockets of a user's group of programs; undefined if it is not a user of this machine. */
export function groupMark(user: string | undefined): number | undefined {
  if (user === undefined || !/^\d{1,10}$/.test(user)) return undefined;
  return base + (Number(user) & uidMask);
}

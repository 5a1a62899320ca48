/**
 * Ours among the marks of packets, which share one number: others have flags in it (Tailscale 0xff0000, Kubernetes
 * 0xc000), or a small one.
 */
const base = 0x57000000;
const uidMask = 0xffffff;

/** The mark of the sockets of a user's group of programs; undefined for who is no user of this machine. */
export function groupMark(user: string | undefined): number | undefined {
  if (user === undefined || !/^\d{1,10}$/.test(user)) return undefined;
  return base + (Number(user) & uidMask);
}

/** Who called, as the kernel says. */
export interface PeerCredentials {
  pid: number;
  uid: number;
  /** Primary and supplementary groups. */
  gids: number[];
}

export interface CallerPolicy {
  allowedUids: readonly number[];
  /** Absent where the group does not exist. */
  allowedGid: number | undefined;
}

const root = 0;

/** Root may always call: it could do all of this without the helper. */
export function mayCall({ uid, gids }: PeerCredentials, { allowedUids, allowedGid }: CallerPolicy): boolean {
  return uid === root || allowedUids.includes(uid) || (allowedGid !== undefined && gids.includes(allowedGid));
}

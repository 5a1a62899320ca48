import koffi from 'koffi';
import { constants } from './darwin.ts';
import { CallFailed } from './libc.ts';

/** Who is in which group, as the system's directory says, nested groups and networks' directories included. */
export interface GroupMemberships {
  /** By their numbers; false if there is no such user or group. Throws `CallFailed` if the directory does not say. */
  isMember(uid: number, gid: number): boolean;
}

type Call = (...values: unknown[]) => unknown;

/** `uuid_t` of <sys/_types/_uuid_t.h>. */
const uuidBytes = 16;

/** By membership.h of libSystem. `library`: a file, or null for what this process has loaded already. */
export function createGroupMemberships(library: string | null): GroupMemberships {
  let loaded: ReturnType<typeof load> | undefined;
  const native = () => (loaded ??= load(library));
  /** Each returns an errno. */
  const isFound = (name: string, result: unknown): boolean => {
    const errno = Number(result);
    if (errno !== 0 && errno !== constants.ENOENT) throw new CallFailed(name, errno);
    return errno === 0;
  };

  return {
    isMember(uid, gid) {
      const [user, group] = [Buffer.alloc(uuidBytes), Buffer.alloc(uuidBytes)];
      const found = new Int32Array(1);
      return (
        isFound('mbr_uid_to_uuid', native().userId(uid, user)) &&
        isFound('mbr_gid_to_uuid', native().groupId(gid, group)) &&
        isFound('mbr_check_membership', native().check(user, group, found)) &&
        found[0] === 1
      );
    },
  };
}

function load(library: string | null) {
  const file = koffi.load(library);
  return {
    userId: file.func('int mbr_uid_to_uuid(uint32_t, _Out_ uint8_t *)') as Call,
    groupId: file.func('int mbr_gid_to_uuid(uint32_t, _Out_ uint8_t *)') as Call,
    check: file.func('int mbr_check_membership(const uint8_t *, const uint8_t *, _Out_ int *)') as Call,
  };
}

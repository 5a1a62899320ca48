import koffi from 'koffi';

/** <linux/posix_acl_xattr.h> and <linux/posix_acl.h>: the kernel's format of an access list. */
const version = 2;
const tag = { owner: 0x01, user: 0x02, owningGroup: 0x04, group: 0x08, mask: 0x10, others: 0x20 } as const;
const none = 0;
const readAndWrite = 0o6;
const unused = 0xffffffff;

type SetAttribute = (path: string, name: string, value: Buffer, size: number, flags: number) => number;

/** Lets only the file's owner, these users and these groups read and write it; throws if that fails. */
export function setAccessList(path: string, { users, groups }: { users: number[]; groups: number[] }): void {
  const entries = [
    [tag.owner, readAndWrite, unused],
    ...users.toSorted((one, other) => one - other).map((uid) => [tag.user, readAndWrite, uid]),
    [tag.owningGroup, none, unused],
    ...groups.map((gid) => [tag.group, readAndWrite, gid]),
    [tag.mask, readAndWrite, unused],
    [tag.others, none, unused],
  ];
  const value = Buffer.alloc(4 + 8 * entries.length);
  value.writeUInt32LE(version, 0);
  for (const [index, [kind = 0, permissions = 0, id = 0]] of entries.entries()) {
    value.writeUInt16LE(kind, 4 + 8 * index);
    value.writeUInt16LE(permissions, 6 + 8 * index);
    value.writeUInt32LE(id, 8 + 8 * index);
  }
  const setxattr = koffi
    .load(null)
    .func('int setxattr(const char *, const char *, const void *, size_t, int)') as SetAttribute;
  if (setxattr(path, 'system.posix_acl_access', value, value.length, 0) !== 0) {
    throw new Error(`setxattr of ${path} failed with errno ${koffi.errno()}`);
  }
}

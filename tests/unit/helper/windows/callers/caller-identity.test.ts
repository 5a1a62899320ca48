import { describe, expect, it } from 'vitest';
import { callerOf, pipeAccess, readUser } from '../../../../../helper/windows/callers/caller-identity.ts';
import { wellKnownSids, type Sid } from '../../../../../src/node/os/windows/security-identifier.ts';

const alice: Sid = 'S-1-5-21-1-2-3-1001';
const policy = { allowedUsers: [], allowedGroup: wellKnownSids.interactive };
const client = (user: Sid, ...groups: Sid[]) => ({ user, groups: new Set(groups), pid: 4711 });

describe('a caller of the helper on Windows', () => {
  it.each([
    [
      'somebody who has signed in',
      client(alice, wellKnownSids.interactive),
      { isAllowed: true, isAdministrator: false },
    ],
    ['somebody over the network', client(alice), { isAllowed: false, isAdministrator: false }],
    [
      'an administrator',
      client(alice, wellKnownSids.administrators),
      { isAllowed: true, isAdministrator: true },
    ],
    ['the system', client(wellKnownSids.system), { isAllowed: true, isAdministrator: true }],
  ])('is known as %s', (_, who, expected) =>
    expect(callerOf(who, policy)).toMatchObject({ ...expected, user: who.user, pid: who.pid }),
  );

  it('is allowed if the command line names the user', () => {
    const named = { allowedUsers: [readUser(alice)], allowedGroup: undefined };
    expect(callerOf(client(alice), named)).toMatchObject({ isAllowed: true, isAdministrator: false });
    expect(callerOf(client('S-1-5-21-1-2-3-1002'), named)).toMatchObject({ isAllowed: false });
  });

  it('is refused by the pipe over the network first, and cannot create the pipe again', () => {
    const access = pipeAccess({ allowedUsers: [alice], allowedGroup: wellKnownSids.interactive });
    expect(access).toMatch(/^D:P\(D;;GA;;;NU\)/);
    const rights = [...access.matchAll(/\(A;;(0x[0-9a-f]+);;;S-1-5-/g)].map(([, mask]) => Number(mask));
    expect(rights).toHaveLength(2);
    // FILE_CREATE_PIPE_INSTANCE and WRITE_DAC of <winnt.h>.
    for (const mask of rights) expect(mask & (0x4 | 0x4_0000)).toBe(0);
  });

  it('cannot be named in another notation', () =>
    expect(() => readUser('alice')).toThrow('not a security identifier'));
});

import { rmSync } from 'node:fs';
import koffi from 'koffi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { constants } from '../../../../helper/macos/calls/darwin.ts';
import {
  createGroupMemberships,
  type GroupMemberships,
} from '../../../../helper/macos/calls/group-membership.ts';
import { buildDouble } from '../../../lab/darwin/build-double.ts';
import { whyWithoutHeaders } from '../../../lab/darwin/compile-for-macos.ts';

const without = whyWithoutHeaders();

describe.skipIf(without)(
  `a double of the directory of users${without === undefined ? '' : `: ${without}`}`,
  () => {
    let directory = '';
    let memberships: GroupMemberships;
    let breakDirectory: (errno: number) => void;

    beforeAll(() => {
      const built = buildDouble('directory');
      ({ directory } = built);
      memberships = createGroupMemberships(built.library);
      breakDirectory = koffi.load(built.library).func('void double_break(int)') as typeof breakDirectory;
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    test.each([
      [502, 701, true],
      [503, 701, false],
      [502, 702, false],
      // Whom it does not know.
      [504, 701, false],
      [502, 504, false],
    ])('user %i is a member of group %i: %j', (uid, gid, isMember) => {
      expect(memberships.isMember(uid, gid)).toBe(isMember);
    });

    test('a directory that does not answer says nothing', () => {
      breakDirectory(5);
      expect(() => memberships.isMember(502, 701)).toThrow('mbr_uid_to_uuid failed with errno 5');
      breakDirectory(constants.ENOENT);
      expect(memberships.isMember(502, 701)).toBe(false);
      breakDirectory(0);
      expect(memberships.isMember(502, 701)).toBe(true);
    });
  },
);

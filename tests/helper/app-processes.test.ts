import { expect, test } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import { addresses, ports } from '../lab/addresses.ts';
import { secondUser } from '../lab/second-user.ts';
import { waitLimit } from '../lab/wait-limit.ts';
import { addressIn, appLab, curl, include, url } from './support/app-lab.ts';
import { attachAs } from './support/attach-as.ts';
import { startAs } from './support/grouped-process.ts';

/** Mode app: which processes the helper puts into a user's group, and what becomes of them. */

const { echo, user, gateway } = addresses;

const lab = appLab();
const { uid } = lab;

/** Its child has a connection, and asks again when it is told to. */
const talker = `bash -c 'exec 3<>/dev/tcp/${echo.ipv4}/${ports.echo}; echo open; read -r line; echo hello >&3; read -r -t 5 answer <&3; echo "[$answer]"; ${curl} ${url(echo.ipv4)}'; :`;

test(
  'a process that is moved has its connections ended, with its children, and goes the new way; and back',
  async () => {
    await lab.connect(include);
    const moved = await startAs(lab.net.lab.user, uid, talker);
    const other = await startAs(lab.net.lab.user, uid, talker);
    for (const one of [moved, other]) {
      one.say();
      expect(await one.next()).toBe('open');
    }
    expect(await lab.client.call('moveProcess', { pid: moved.pid, into: 'group' })).toEqual({
      moved: 2,
      ended: 1,
    });
    expect(await lab.client.call('moveProcess', { pid: moved.pid, into: 'group' })).toEqual({
      moved: 0,
      ended: 0,
    });
    const answers = [await moved.finish(), await other.finish()].map(({ stdout }) => stdout.split('\n'));
    expect(answers.map(([answer, reply = '']) => [answer, addressIn(reply)])).toEqual([
      ['[]', gateway.ipv4],
      ['[hello]', user.ipv4],
    ]);

    const back = await lab.startInGroup(talker);
    back.say();
    expect(await back.next()).toBe('open');
    expect(await lab.client.call('moveProcess', { pid: back.pid, into: 'outside' })).toEqual({
      moved: 2,
      ended: 1,
    });
    const { stdout } = await back.finish();
    expect(addressIn(stdout.split('\n')[1] ?? '')).toBe(user.ipv4);
  },
  waitLimit(60_000),
);

test('a process of somebody else is not moved, nor while the connection is another’s', async () => {
  const [own, others, roots] = [
    await startAs(lab.net.lab.user, uid, ''),
    await startAs(lab.net.lab.user, secondUser.uid, ''),
    await startAs(lab.net.lab.user, 0, ''),
  ];
  const second = await attachAs(lab.net, secondUser.uid);
  const refused = { code: helperError.noSuchProcess };
  for (const pid of [1, 2, lab.net.pid(), others.pid, roots.pid, 0x3fffffff])
    await expect(lab.client.call('moveProcess', { pid, into: 'group' })).rejects.toMatchObject(refused);
  await expect(second.call('moveProcess', { pid: own.pid, into: 'group' })).rejects.toMatchObject(refused);
  expect(await second.call('moveProcess', { pid: others.pid, into: 'group' })).toMatchObject({ moved: 1 });
  await lab.connect(include);
  await expect(second.call('moveProcess', { pid: others.pid, into: 'outside' })).rejects.toMatchObject({
    code: helperError.notOwner,
  });
  for (const one of [own, others, roots]) await one.finish();
  // Another user's group is nobody's who is connected.
  const theirs = await startAs(lab.net.lab.user, secondUser.uid, `${curl} ${url(echo.ipv4)}`);
  await lab.client.call('disconnect', {});
  await second.call('moveProcess', { pid: theirs.pid, into: 'group' });
  await lab.connect(include);
  expect(addressIn((await theirs.finish()).stdout)).toBe(user.ipv4);
});

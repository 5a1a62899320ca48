import { chmod, copyFile, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import { addresses, ports } from '../../lab/network/addresses.ts';
import { secondUser } from '../../lab/machine/second-user.ts';
import { eventually } from '../../lab/runs/process.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import {
  addressIn,
  programLab,
  curl,
  echoes,
  exclude,
  include,
  nowhere,
  past,
  url,
} from '../support/programs/program-lab.ts';
import { attachAs } from '../support/callers/attach-as.ts';
import { startAs, type SteppedProcess } from '../support/programs/grouped-process.ts';

/** Mode app: which processes the helper puts into a user's group, and what becomes of them. */

const { echo, user, gateway } = addresses;

const lab = programLab();
const { uid } = lab;

/** Its child has a connection, and asks again when it is told to. */
const talker = `bash -c 'exec 3<>/dev/tcp/${echo.ipv4}/${ports.echo}; echo open; read -r line; echo hello >&3; read -r -t 30 answer <&3; echo "[$answer]"; ${curl} ${url(echo.ipv4)}'; :`;

/** As one word of a shell. */
const quoted = (script: string) => `'${script.replaceAll("'", `'\\''`)}'`;

test(
  'a process that is moved, and its children, have their connections ended and go the new way, and back',
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

if (isExhaustive)
  test(
    'with all but the group in the tunnel, a moved process goes past it with its children, and comes back in',
    async () => {
      await lab.connect(exclude);
      const setuid = path.join(lab.net.lab.directory, 'curl');
      await copyFile('/usr/bin/curl', setuid);
      await chmod(setuid, 0o4755);
      const withRights = curl.replace('curl', setuid);
      /** Besides its child from before, one that it forks later without another program, and one with more rights. */
      const late = `(exec 4<>/dev/tcp/${echo.ipv4}/${ports.http}; printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&4; grep address <&4); echo`;
      const family = `${talker.replace(/ :$/, '')} echo; bash -c ${quoted(late)}; ${withRights} ${url(echo.ipv4)}; echo`;
      const start = async (into?: 'group') => {
        const program = await startAs(lab.net.lab.user, uid, family);
        if (into) await lab.client.call('moveProcess', { pid: program.pid, into });
        program.say();
        expect(await program.next()).toBe('open');
        return program;
      };
      const [moved, stays] = [await start(), await start()];
      const back = await start('group');
      const whole = { moved: 2, ended: 1 };
      expect(await lab.client.call('moveProcess', { pid: moved.pid, into: 'group' })).toEqual(whole);
      expect(await lab.client.call('moveProcess', { pid: back.pid, into: 'outside' })).toEqual(whole);

      const seenBy = async (program: SteppedProcess) => {
        let stdout = '';
        const packets = await lab.packetsWhile(async () => ({ stdout } = await program.finish()));
        const [answer, ...replies] = stdout.split('\n').filter(Boolean);
        return { answer, from: replies.map(addressIn), isOutside: packets.toEcho > 0 };
      };
      const [through, pastIt] = [gateway, user].map(({ ipv4 }) => [ipv4, ipv4, ipv4]);
      expect(await seenBy(moved)).toEqual({ answer: '[]', from: pastIt, isOutside: true });
      expect(await seenBy(stays)).toEqual({ answer: '[hello]', from: through, isOutside: false });
      expect(await seenBy(back)).toEqual({ answer: '[]', from: through, isOutside: false });
      // Nor do more rights, and a socket bound to the uplink, lead out for those who were not moved.
      const bound = await lab.packetsWhile(async () => {
        expect(await lab.seenBy('outside', echoes, `${withRights} --interface uplink`)).toEqual(nowhere);
      });
      expect(bound.toEcho).toBe(0);
      expect(await lab.seenBy('group', echoes, `${withRights} --interface uplink`)).toEqual(past);
    },
    waitLimit(60_000),
  );

test('a process of somebody else is not moved, nor one with others’ rights, nor while the connection is another’s', async () => {
  const [own, others, roots] = [
    await startAs(lab.net.lab.user, uid, ''),
    await startAs(lab.net.lab.user, secondUser.uid, ''),
    await startAs(lab.net.lab.user, 0, ''),
  ];
  // A setuid program: its real user is still who has started it.
  const sleep = path.join(lab.net.lab.directory, 'sleep');
  await copyFile('/usr/bin/sleep', sleep);
  await chmod(sleep, 0o4755);
  const withRights = await startAs(lab.net.lab.user, uid, `exec ${sleep} 600`);
  withRights.say();
  await eventually('it has root’s rights', async () => {
    const status = await readFile(`/proc/${withRights.pid}/status`, 'utf8');
    return status.includes(`\nUid:\t${uid}\t0\t`) || undefined;
  });
  const second = await attachAs(lab.net, secondUser.uid);
  const refused = { code: helperError.noSuchProcess };
  for (const pid of [1, 2, lab.net.pid(), others.pid, roots.pid, withRights.pid, 0x3fffffff])
    await expect(lab.client.call('moveProcess', { pid, into: 'group' })).rejects.toMatchObject(refused);
  await expect(second.call('moveProcess', { pid: own.pid, into: 'group' })).rejects.toMatchObject(refused);
  expect(await second.call('moveProcess', { pid: others.pid, into: 'group' })).toMatchObject({ moved: 1 });
  await lab.connect(include);
  await expect(second.call('moveProcess', { pid: others.pid, into: 'outside' })).rejects.toMatchObject({
    code: helperError.notOwner,
  });
  process.kill(withRights.pid, 'SIGKILL');
  for (const one of [own, others, roots, withRights]) await one.finish();
  // Another user's group is nobody's who is connected.
  const theirs = await startAs(lab.net.lab.user, secondUser.uid, `${curl} ${url(echo.ipv4)}`);
  await lab.client.call('disconnect', {});
  await second.call('moveProcess', { pid: theirs.pid, into: 'group' });
  await lab.connect(include);
  expect(addressIn((await theirs.finish()).stdout)).toBe(user.ipv4);
});

import { expect, test } from 'vitest';
import { helperError } from '#shared/helper/protocol.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { words } from '../../lab/runs/process.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { addressIn, programLab, curl, include, url } from '../support/programs/program-lab.ts';
import { attachAs } from '../support/callers/attach-as.ts';
import { runInGroup, startAs } from '../support/programs/grouped-process.ts';

/** Mode app and programs in namespaces of their own (namespaces(7)). */

const { echo, gateway, user } = addresses;
const limit = waitLimit(60_000);

const lab = programLab();
const { uid } = lab;

const ask = `${curl} ${url(echo.ipv4)}`;

/** All but one of the network, as containers and sandboxes have them. */
const sandbox = 'unshare --map-root-user --pid --fork --mount-proc --cgroup --mount --ipc --uts';

test(
  'a program in a sandbox is in the group, and a control group that it mounts by itself is no way out',
  async () => {
    await lab.connect(include);
    {
      const started = await runInGroup(lab.net.lab.user, { uid, client: lab.client }, `${sandbox} ${ask}`);
      expect(addressIn(started.stdout)).toBe(gateway.ipv4);

      const inside = `${sandbox} sh -c 'echo runs; read -r line; ${ask}'; :`;
      const [moved, other] = [
        await startAs(lab.net.lab.user, uid, inside),
        await startAs(lab.net.lab.user, uid, inside),
      ];
      for (const one of [moved, other]) {
        one.say();
        expect(await one.next()).toBe('runs');
      }
      expect(await lab.client.call('moveProcess', { pid: moved.pid, into: 'group' })).toMatchObject({
        moved: 3,
      });
      const seen = [await moved.finish(), await other.finish()].map(({ stdout }) => addressIn(stdout));
      expect(seen).toEqual([gateway.ipv4, user.ipv4]);
    }
    {
      const leave = `mount -t tmpfs none /mnt; mkdir /mnt/groups; mount -t cgroup2 none /mnt/groups && echo mounted;
        for group in /mnt/groups /mnt/groups/own; do mkdir -p $group; echo $$ > $group/cgroup.procs; done; ${ask}`;
      const script = `${sandbox} sh -c '${leave}'`;
      const { stdout, stderr } = await runInGroup(lab.net.lab.user, { uid, client: lab.client }, script);
      const [mounted, reply] = stdout.split('\n');
      expect([mounted, addressIn(reply ?? '')]).toEqual(['mounted', gateway.ipv4]);
      expect(stderr.match(/denied|nonexistent/g)).toHaveLength(3);
    }
    {
      // Its number means nothing, or somebody else, where this client is.
      const own = await startAs(lab.net.lab.user, uid, ask);
      const sandboxed = await attachAs(lab.net, uid, words('unshare --map-root-user --pid --fork'));
      const request = { pid: own.pid, into: 'group' } as const;
      await expect(sandboxed.call('moveProcess', request)).rejects.toMatchObject({
        code: helperError.noSuchProcess,
      });
      expect(addressIn((await own.finish()).stdout)).toBe(user.ipv4);
      expect(await sandboxed.call('statistics', {})).toMatchObject({
        received: expect.any(Number) as number,
      });
    }
  },
  limit,
);

const readOnly = ['read-only', 'mount -o remount,bind,ro'] as const;
test.each(casesOf({ usual: [readOnly], all: [readOnly, ['not mounted', 'umount --lazy'] as const] }))(
  'where control groups are %s, the mode is not offered, and the log says why',
  async (_, prepare) => {
    // The laboratory's machines have them in more than one place, some of which others cover.
    const shell = `for group in $(sed -n 's/^[^ ]* [^ ]* [^ ]* [^ ]* \\([^ ]*\\) .* - cgroup2 .*/\\1/p' /proc/self/mountinfo); do ${prepare} $group; done; exec "$@"`;
    await lab.net.end('SIGTERM');
    await lab.net.start({ under: [...words('unshare --mount --propagation private sh -c'), shell, 'sh'] });
    const client = await lab.net.attach();
    expect(client.capabilities).not.toContain('routing.app');
    expect(client.capabilities).toContain('routing.ip');
    expect(lab.net.log()).toMatch(/apart on this machine.*not mounted, or cannot be written to/);
    await expect(client.call('connect', lab.net.request({ routing: include }))).rejects.toThrow(
      'routing.mode',
    );
  },
);

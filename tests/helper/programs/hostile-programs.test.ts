import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { chmod, chown, copyFile, mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import {
  attachProgram,
  detachProgram,
  loadProgram,
  unloadProgram,
} from '../../../helper/linux/groups/bpf.ts';
import { helperError } from '#shared/helper/protocol.ts';
import { addresses, ports } from '../../lab/network/addresses.ts';
import { unifiedCgroups } from '../../lab/machine/control-groups.ts';
import { eventually } from '../../lab/runs/process.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import {
  addressIn,
  programLab,
  curl,
  url,
  echoes,
  include,
  nowhere,
  past,
} from '../support/programs/program-lab.ts';
import { asUser } from '../support/callers/attach-as.ts';
import { runInGroup, startAs } from '../support/programs/grouped-process.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

/** Mode app against users and programs that mean ill, or are merely odd. */

const { echo, gateway } = addresses;
const limit = waitLimit(60_000);

const lab = programLab();
const { uid } = lab;

const move = (pid: number) => lab.client.call('moveProcess', { pid, into: 'group' });
const groupOf = async (pid: number | string) =>
  /^0::(.*)$/m.exec(await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => ''))?.[1];

const groupPath = async () => `/${path.relative(await unifiedCgroups(), await lab.group())}`;

/**
 * A connection to the echo in perl, that is asked after the next line that comes: `[hello]`, or `[]` if it was ended.
 */
const talk = `socket($s, AF_INET, SOCK_STREAM, 0); connect($s, sockaddr_in(${ports.echo}, inet_aton("${echo.ipv4}"))) or die "$!";
  print "open\\n"; <STDIN>; syswrite($s, "hello"); sysread($s, $answer, 9); print "[$answer]\\n";`;
const perl = (script: string) => `exec perl -e 'use Socket; use threads; $| = 1; ${script}'`;

if (isExhaustive)
  test(
    'however fast programs fork while they are moved, all are inside in the end',
    async () => {
      await lab.connect(include);
      // 300 by one process, 300 by its child, and 256 by each other.
      const forks = `$SIG{CHLD} = "IGNORE"; $0 = "forking-$ENV{MARK}"; if (!fork) { fork for 1..8; sleep 900 }
      fork; for (1..300) { if (!fork) { sleep 900; exit } print "forking\\n" if $_ == 20 } print "done\\n"; sleep 900`;
      const mark = path.basename(lab.net.lab.directory);
      const program = await startAs(lab.net.lab.user, uid, `MARK=${mark} ${perl(forks)}`);
      const all = async () => {
        const found: string[] = [];
        for (const pid of await readdir('/proc')) {
          const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
          if (line.startsWith(`forking-${mark}`)) found.push(pid);
        }
        return found;
      };
      program.say();
      expect(await program.next()).toBe('forking');
      await move(program.pid);
      const pids = await eventually(
        'all were forked',
        async () => {
          const found = await all();
          return found.length === 858 ? found : undefined;
        },
        { timeout: 60_000 },
      );
      const groups = new Set(await Promise.all(pids.map(groupOf)));
      for (const pid of pids) process.kill(Number(pid), 'SIGKILL');
      expect([...groups]).toEqual([await groupPath()]);
      await program.finish();
    },
    limit,
  );

if (isExhaustive)
  test(
    'a thread is no process, and a process goes on without its first thread',
    async () => {
      await lab.connect(include);
      const odd = await startAs(
        lab.net.lab.user,
        uid,
        perl(`threads->create(sub { ${talk} exit })->detach; syscall(60, 0)`),
      );
      odd.say();
      expect(await odd.next()).toBe('open');
      await eventually('its first thread has ended', async () => {
        return /\) Z /.test(await readFile(`/proc/${odd.pid}/stat`, 'utf8')) || undefined;
      });
      const [, thread] = (await readdir(`/proc/${odd.pid}/task`)).map(Number);
      await expect(move(thread ?? 0)).rejects.toMatchObject({ code: helperError.noSuchProcess });
      expect(await move(odd.pid)).toEqual({ moved: 1, ended: 1 });
      expect(await groupOf(thread ?? 0)).toBe(await groupPath());
      expect((await odd.finish()).stdout).toBe('[]\n');
    },
    limit,
  );

if (isExhaustive)
  test(
    'ten thousand sockets are ended, and others are answered meanwhile',
    async () => {
      await lab.connect(include);
      const open = `for (1..10000) { socket(my $s, AF_INET, SOCK_DGRAM, 0) or die $!; connect($s, sockaddr_in(9, inet_aton("${echo.ipv4}"))) or die $!; push @all, $s }
      print "open\\n"; <STDIN>; print scalar(grep { !defined send($_, "x", 0) } @all), "\\n"`;
      const program = await startAs(lab.net.lab.user, uid, `ulimit -n 10100; ${perl(open)}`);
      program.say();
      expect(await program.next()).toBe('open');
      const answers: string[] = [];
      const moved = move(program.pid).finally(() => answers.push('moved'));
      await lab.client.call('statistics', {}).finally(() => answers.push('answered'));
      expect(await moved).toEqual({ moved: 1, ended: 10_000 });
      expect(answers).toEqual(['answered', 'moved']);
      expect((await program.finish()).stdout).toBe('10000\n');
    },
    limit,
  );

test(
  'nobody leaves the group by hand, a running setuid program stays, and what systemd takes out is put back',
  async () => {
    await lab.connect(include);
    {
      // As sudo and firejail do: root's rights above, and the user's own again below.
      const directory = lab.net.lab.directory;
      const setuid = path.join(directory, 'setpriv');
      await copyFile('/usr/bin/setpriv', setuid);
      await chmod(setuid, 0o4755);
      const below = `setpriv --reuid=${uid} --regid=${uid} --clear-groups perl -MSocket -e '$| = 1; print "$$\\n"; ${talk}'`;
      const above = await startAs(
        lab.net.lab.user,
        uid,
        `${setuid} --ruid=0 sh -c '${below.replaceAll("'", `'\\''`)}; :'; :`,
      );
      above.say();
      const pid = Number(await above.next());
      expect(await above.next()).toBe('open');
      const before = await groupOf(pid);
      expect(await move(above.pid)).toEqual({ moved: 2, ended: 1 });
      expect([await groupOf(above.pid), await groupOf(pid)]).toEqual([await groupPath(), await groupPath()]);
      const root = /^PPid:\t(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
      expect(await groupOf(root)).toBe(before);
      expect((await above.finish()).stdout).toBe('[]\n');
    }
    {
      const delegated = path.join(
        await unifiedCgroups(),
        `delegated-${path.basename(lab.net.lab.directory)}`,
      );
      await mkdir(delegated);
      try {
        for (const file of ['', 'cgroup.procs', 'cgroup.threads', 'cgroup.subtree_control'])
          await chown(path.join(delegated, file), uid, uid);
        const leave = `cat /proc/self/cgroup; for file in procs threads; do echo $$ > ${delegated}/cgroup.$file; done; cat /proc/self/cgroup`;
        const { stdout, stderr } = await runInGroup(lab.net.lab.user, { uid, client: lab.client }, leave);
        const groups = stdout.split('\n').filter((line) => line.startsWith('0::'));
        expect(groups).toEqual(Array.from({ length: 2 }, () => `0::${groups[0]?.slice(3)}`));
        expect(stderr.match(/error|denied|permitted/gi)).toHaveLength(2);
        // ping may set a mark, by its capability (capabilities(7), CAP_NET_RAW).
        const ping = (more: string) => `ping -c1 -W1 ${more} ${echo.ipv4}`;
        const pinging = `${ping('-m 1')}; ${ping('-m 1 -I uplink')}; ${ping('-I uplink')}`;
        const packets = await lab.packetsWhile(() =>
          runInGroup(lab.net.lab.user, { uid, client: lab.client }, pinging),
        );
        expect(packets).toEqual({ toEcho: 0, lookUps: 0 });
        const control = await lab.packetsWhile(async () =>
          (await startAs(lab.net.lab.user, uid, pinging)).finish(),
        );
        expect(control.toEcho).toBeGreaterThan(0);
      } finally {
        await rmdir(delegated);
      }
    }
    {
      const [taken, released] = [
        await lab.startInGroup(`${curl} ${url(echo.ipv4)}`),
        await lab.startInGroup(),
      ];
      await lab.client.call('moveProcess', { pid: released.pid, into: 'outside' });
      const outside = await groupOf(released.pid);
      // It looks every second, which may be right now.
      process.kill(lab.net.pid(), 'SIGSTOP');
      try {
        await writeFile(path.join(await unifiedCgroups(), 'cgroup.procs'), String(taken.pid));
        expect(await groupOf(taken.pid)).toBe('/');
      } finally {
        process.kill(lab.net.pid(), 'SIGCONT');
      }
      await eventually(
        'it is back',
        async () => (await groupOf(taken.pid)) === (await groupPath()) || undefined,
      );
      expect(addressIn((await taken.finish()).stdout)).toBe(gateway.ipv4);
      expect(await groupOf(released.pid)).toBe(outside);
      await released.finish();
    }
  },
  limit,
);

/**
 * Starts a program of the user's under a number that was another's (clone3(2), `set_tid`), as soon as nobody has it:
 * what forks on this machine at the same time may get it first.
 */
const underNumber = (pid: number) => `
  my $number = pack("i", ${pid});
  my $asked = pack("Q11", 0, 0, 0, 0, 17, 0, 0, 0, unpack("Q", pack("P", $number)), 1, 0);
  for (;;) {
    my $child = syscall(435, $asked, length $asked);
    exec("setpriv", "${asUser(uid).join('", "')}", "sleep", "900") if $child == 0;
    if ($child == ${pid}) { print "started\n"; waitpid($child, 0); exit }
    die "$!\n" if !$!{EEXIST};
    select(undef, undef, undef, 0.01);
  }`;

if (isExhaustive)
  test(
    'a program with the number of one that was in the group stays where it is',
    async () => {
      await lab.connect(include);
      const [first, taken] = [await lab.startInGroup(), await lab.startInGroup()];
      // No look comes in between: what the next one sees is all of it at once.
      process.kill(lab.net.pid(), 'SIGSTOP');
      try {
        process.kill(first.pid, 'SIGKILL');
        await first.finish();
        const other = await lab.net.lab.user.spawnUntil(
          ['perl', '-e', `$| = 1; ${underNumber(first.pid)}`],
          /started/,
        );
        const before = await groupOf(first.pid);
        await writeFile(path.join(await unifiedCgroups(), 'cgroup.procs'), String(taken.pid));
        process.kill(lab.net.pid(), 'SIGCONT');
        await eventually(
          'who was taken out is back',
          async () => (await groupOf(taken.pid)) === (await groupPath()) || undefined,
        );
        expect(await groupOf(first.pid)).toBe(before);
        process.kill(first.pid, 'SIGKILL');
        await once(other, 'exit');
        await taken.finish();
      } finally {
        process.kill(lab.net.pid(), 'SIGCONT');
      }
    },
    limit,
  );

if (isExhaustive)
  test(
    'where others own the group, or programs above it allow none, nothing leaves',
    async () => {
      await lab.connect(include);
      await lab.client.call('disconnect', {});
      const own = path.dirname(await lab.group());
      const allowing = loadProgram('created', Buffer.from('b7000000010000009500000000000000', 'hex'));
      const obstacles = [
        {
          put: () => chownSync(path.join(own, 'cgroup.procs'), uid, uid),
          remove: () => chownSync(path.join(own, 'cgroup.procs'), 0, 0),
        },
        // Without a flag that says otherwise, a group's program forbids others below (bpf(2), BPF_PROG_ATTACH).
        {
          put: () => attachProgram(path.dirname(own), 'created', allowing),
          remove: () => detachProgram(path.dirname(own), 'created'),
        },
      ];
      for (const { put, remove } of obstacles) {
        await mkdir(own, { recursive: true });
        put();
        const session = await lab.net.signIn();
        const seen = lab.client.states.length;
        await lab.client.call('connect', lab.net.request({ session, routing: include, killSwitch: true }));
        const failed = await lab.client.until('disconnected', { seen });
        expect(failed).toMatchObject({ reason: 'configuration-failed', blocked: true });
        const packets = await lab.packetsWhile(async () => {
          expect(await lab.seenBy('outside', echoes)).toEqual(nowhere);
        });
        expect(packets).toEqual({ toEcho: 0, lookUps: 0 });
        remove();
        await lab.client.call('disconnect', {});
        expect(await lab.seenBy('outside', echoes)).toEqual(past);
      }
      unloadProgram(allowing);
    },
    limit,
  );

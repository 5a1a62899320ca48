import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { addresses, pools } from '../../lab/network/addresses.ts';
import { eventually } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import { anotherEngine, childrenOf } from '../support/helper-lab.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { writeAtOnce } from '../support/write-at-once.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

const net = helperLabForEach();

async function expectTunnelled(): Promise<void> {
  expect(await net.lab.user.probe.http4('tunnelled')).toMatchObject({ address: addresses.gateway.ipv4 });
}

type Phase = 'authenticating' | 'handshaking' | 'configuring';
type Signal = 'SIGKILL' | 'SIGTERM' | 'SIGSEGV';
const engineEnds = casesOf<Signal>({ usual: ['SIGKILL'], all: ['SIGKILL', 'SIGTERM', 'SIGSEGV'] });

if (isExhaustive)
  test.each(engineEnds)('a tunnel whose engine ends by %s comes back by itself', async (signal) => {
    const client = await net.connect();
    const engines = await net.engines();
    const seen = client.states.length;
    for (const pid of engines) process.kill(pid, signal);
    await client.until('connecting', { seen, where: ({ attempt }) => attempt === 2 });
    // SIGTERM logs the session off, so that a new sign-in is needed then.
    if (signal === 'SIGTERM') {
      await client.until('connecting', { seen, where: ({ phase }) => phase === 'authenticating' });
      await client.call('provideSession', { session: await net.signIn() });
    }
    await client.until('connected', { seen, after: 'connecting' });
    await anotherEngine(net, engines);
    await expectTunnelled();
    await client.call('disconnect', {});
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  });

if (isExhaustive)
  test('a gateway that restarts with another pool: new addresses, nothing twice', async () => {
    const client = await net.connect();
    const old = await client.until('connected');
    const seen = client.states.length;
    await net.lab.gateway.restart({ pool: pools.second });
    await client.until('connecting', { seen, where: ({ phase }) => phase === 'authenticating' });
    await client.call('provideSession', { session: await net.signIn() });
    const fresh = await client.until('connected', { seen, after: 'connecting' });
    expect(fresh.addresses.ipv4).not.toBe(old.addresses.ipv4);
    const own = await net.lab.user.run(['ip', '-oneline', 'address', 'show', 'dev', 'wm0']);
    expect(own.match(/inet6? \S+/g)).toEqual([
      `inet ${fresh.addresses.ipv4}/32`,
      `inet6 ${fresh.addresses.ipv6}/128`,
    ]);
    const resolvers = await readFile(net.lab.user.resolvConf, 'utf8');
    expect(resolvers.match(/^nameserver .*/gm)).toEqual([
      `nameserver ${addresses.inside.ipv4}`,
      `nameserver ${addresses.inside.ipv6}`,
    ]);
    await expectTunnelled();
    expect(await net.lab.user.snapshot()).not.toContain(old.addresses.ipv4);
    await client.call('disconnect', {});
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  });

if (isExhaustive)
  test('a helper whose log nobody takes any more goes on', async () => {
    const reader = path.join(net.lab.directory, 'log-reader');
    await net.end('SIGTERM');
    const piped = `exec 2> >(exec cat >&2); echo $! >${reader}; exec "$@"`;
    await net.start({ under: ['bash', '-c', piped, 'bash'] });
    const client = await net.connect();
    const seen = client.states.length;
    process.kill(Number(await readFile(reader, 'utf8')), 'SIGKILL');
    await net.killEngines();
    await client.until('connected', { seen, after: 'connecting' });
    await expectTunnelled();
    await client.call('disconnect', {});
  });

describe('a helper that ends', () => {
  // systemd takes all of these for an end in good order, and starts no other helper (systemd.service(5), "Restart=").
  test.each(casesOf<NodeJS.Signals>({ usual: ['SIGHUP'], all: ['SIGTERM', 'SIGHUP'] }))(
    'in good order, by %s, puts everything back',
    async (signal) => {
      await net.connect();
      await net.end(signal);
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
      expect(await readdir(net.stateDirectory)).toEqual([]);
    },
  );

  test('by SIGKILL while connected takes its engine and watches along, and the next one puts everything back', async () => {
    await net.connect();
    const engines = await net.engines();
    // The engine, and the watches over the network and the packet filter.
    const children = await eventually('all of its programs run', async () => {
      const pids = (await childrenOf(net.pid())).split(' ').map(Number);
      return pids.length === 3 ? pids : undefined;
    });
    expect(children).toEqual(expect.arrayContaining(engines));
    const own = ['--socket', net.socket, '--state-dir', net.stateDirectory];
    const second = await net.lab.user.exec([process.execPath, programFile('helper/index.ts'), ...own]);
    expect(second.code).not.toBe(0);
    expect(second.stderr).toContain('another helper');
    expect(await net.engines()).toEqual(engines);
    await expectTunnelled();
    await net.end('SIGKILL');
    for (const pid of children) {
      await eventually('what the helper started is gone', async () => {
        const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
        return status === undefined || status.includes('State:\tZ') ? true : undefined;
      });
    }
    expect(await net.lab.user.probe.http4('between')).toBeUndefined();
    await net.start();
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    // It says why there is no tunnel until somebody connects, however late an app comes.
    for (let app = 0; app < 2; app += 1)
      expect((await net.attach()).states).toEqual([{ state: 'disconnected', reason: 'helper-restarted' }]);
    const client = await net.attach();
    await client.call('connect', net.request());
    await client.call('disconnect', {});
    expect(client.states.at(-1)).toEqual({ state: 'disconnected' });
  });

  if (isExhaustive)
    test.each(
      casesOf<Phase>({ usual: ['configuring'], all: ['authenticating', 'handshaking', 'configuring'] }),
    )('by SIGKILL while %s is followed by one that puts everything back', async (phase) => {
      const client = await net.attach();
      const session = phase === 'authenticating' ? {} : { session: await net.signIn() };
      const reached = client.until('connecting', { where: (state) => state.phase === phase });
      const connecting = client.call('connect', net.request(session)).catch(() => undefined);
      await reached;
      await net.end('SIGKILL');
      await connecting;
      await net.start();
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    });

  test('with the kill switch on stays closed until an explicit disconnect, even if no engine can run any more', async () => {
    await net.connect({ killSwitch: true });
    await net.end('SIGKILL');
    await net.start();
    const client = await net.attach();
    expect(client.states).toMatchObject([{ state: 'connecting', phase: 'authenticating' }]);
    expect(await net.lab.user.probe.http4('closed')).toBeUndefined();
    await client.call('provideSession', { session: await net.signIn() });
    await client.until('connected');
    await expectTunnelled();
    await net.end('SIGTERM');
    expect(await net.lab.user.probe.http4('closed')).toBeUndefined();
    await net.start({ args: ['--engine-user', 'no-such-user'] });
    const last = await net.attach();
    expect(last.states).toEqual([{ state: 'invalid', cause: 'engine-absent', blocked: true }]);
    expect(await net.lab.user.probe.http4('closed')).toBeUndefined();
    await last.call('disconnect', {});
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    expect(await net.lab.user.probe.http4('open')).toMatchObject({ address: addresses.user.ipv4 });
  });

  if (isExhaustive)
    test.each([false, true])(
      'by loss of power, kill switch %s: all but files and the journal is gone',
      async (killSwitch) => {
        const { user } = net.lab;
        await net.connect({ killSwitch });
        await net.end('SIGKILL');
        await rm(net.socket, { force: true });
        await user.run(['nft', 'flush', 'ruleset']);
        await user.run(['ip', 'link', 'del', 'dev', 'wm0']);
        for (const family of ['-4', '-6']) {
          await user.run(['ip', family, 'rule', 'flush', 'protocol', '87']);
          await user.run([
            'ip',
            family,
            'route',
            'del',
            'unreachable',
            'default',
            'table',
            '5187',
            'metric',
            '4294967295',
          ]);
        }
        expect(await readFile(user.resolvConf, 'utf8')).toContain(addresses.inside.ipv4);
        await net.start();
        if (killSwitch) {
          expect(await user.probe.http4('closed')).toBeUndefined();
          const client = await net.attach();
          await client.call('disconnect', {});
        }
        expect(await user.snapshot()).toBe(net.initialSnapshot);
      },
    );

  if (isExhaustive)
    test('and leaves a journal that nobody can read: what can be told is undone, and traffic stays blocked', async () => {
      await net.connect();
      const original = await readFile(path.join(net.stateDirectory, 'journal.json'), 'utf8');
      await net.end('SIGKILL');
      await writeFile(
        path.join(net.stateDirectory, 'journal.json'),
        original.replace('"version":2', '"version":99'),
      );
      await net.start();
      const client = await net.attach();
      expect(client.states).toMatchObject([{ reason: 'journal-unreadable', blocked: true }]);
      expect(await net.engines()).toEqual([]);
      await client.call('disconnect', {});
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    });
});

if (isExhaustive)
  test('somebody else changing resolv.conf meanwhile keeps their change', async () => {
    const client = await net.connect();
    await writeAtOnce(net, net.lab.user.resolvConf, 'nameserver 192.0.2.99\n');
    await client.call('disconnect', {});
    expect(await readFile(net.lab.user.resolvConf, 'utf8')).toBe('nameserver 192.0.2.99\n');
  });

if (isExhaustive)
  test('a resolv.conf that a DHCP client writes again does not take the names out of the tunnel, and is kept', async () => {
    const client = await net.connect();
    const { user } = net.lab;
    for (const text of ['nameserver 192.0.2.99\n', 'nameserver 192.0.2.98\n']) {
      await writeAtOnce(net, user.resolvConf, text);
      // What goes with a new lease.
      await user.run([
        'ip',
        'address',
        'change',
        '192.0.2.10/24',
        'dev',
        'uplink',
        'valid_lft',
        '3600',
        'preferred_lft',
        '3600',
      ]);
      await expect
        .poll(() => readFile(user.resolvConf, 'utf8'))
        .toContain(`nameserver ${addresses.inside.ipv4}`);
    }
    expect(client.states.at(-1)?.state).toBe('connected');
    await client.call('disconnect', {});
    expect(await readFile(user.resolvConf, 'utf8')).toBe('nameserver 192.0.2.98\n');
  });

if (isExhaustive)
  test('a resolv.conf that a script empties and then writes line by line is kept whole', async () => {
    const { user } = net.lab;
    const lines = ['nameserver 192.0.2.97\n', 'search office.example\n'];
    /**
     * As `cat >` of a slow script: long enough for a helper that is too quick to read half of it. Its longest pause, in
     * ms.
     */
    async function writeByLines(): Promise<number> {
      const script = await open(user.resolvConf, 'w');
      let [last, longest] = [performance.now(), 0];
      for (const line of lines) {
        await delay(40);
        await script.write(line);
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }
      await script.close();
      return longest;
    }
    let longest = Infinity;
    // A script that pauses for so long on a busy machine has written all that it will, as far as anybody can tell.
    while (longest > 90) {
      const client = await net.connect();
      longest = await writeByLines();
      await expect
        .poll(() => readFile(user.resolvConf, 'utf8'))
        .toContain(`nameserver ${addresses.inside.ipv4}`);
      await client.call('disconnect', {});
      client[Symbol.dispose]();
    }
    expect(await readFile(user.resolvConf, 'utf8')).toBe(lines.join(''));
  });

test('a device of that name that is not ours is left alone, and the tunnel refused', async () => {
  await net.lab.user.run(['ip', 'tuntap', 'add', 'dev', 'wm0', 'mode', 'tap']);
  const withDevice = await net.lab.user.snapshot();
  const client = await net.attach();
  await client.call('connect', net.request({ session: await net.signIn() }));
  await client.until('disconnected', { where: ({ reason }) => reason === 'configuration-failed' });
  expect(await net.lab.user.snapshot()).toBe(withDevice);
});

if (isExhaustive)
  test('the network is watched on when the watch itself is killed', async () => {
    const client = await net.connect();
    const [engine] = await net.engines();
    const watches = await eventually('the watches run', async () => {
      const pids = (await childrenOf(net.pid())).split(' ').map(Number);
      return pids.length === 3 ? pids.filter((pid) => pid !== engine) : undefined;
    });
    for (const watch of watches) process.kill(watch, 'SIGKILL');
    await expect.poll(() => net.log().split('another begins').length - 1).toBe(2);
    await expect.poll(async () => (await childrenOf(net.pid())).split(' ').length).toBe(3);
    const seen = client.states.length;
    await net.lab.user.run(['ip', 'link', 'set', 'dev', 'uplink', 'down']);
    await client.until('connecting', { seen });
  });

if (isExhaustive)
  test('a state directory that is absent is made, for root only', async () => {
    await net.end('SIGTERM');
    await rm(net.stateDirectory, { recursive: true });
    await mkdir(path.dirname(net.stateDirectory), { recursive: true });
    await net.start();
    await net.connect();
    const modes = await net.lab.user.run([
      'stat',
      '-c',
      '%a',
      net.stateDirectory,
      path.join(net.stateDirectory, 'journal.json'),
    ]);
    expect(modes).toBe('700\n600\n');
  });

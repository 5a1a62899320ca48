import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { greetAs } from '../support/callers/greet-as.ts';
import { coreScripts } from '../../../packaging/linux/core-scripts.ts';
import { installed as places } from '../../../packaging/linux/core-tree.ts';
import {
  createInstalledMachine,
  unit,
  type InstalledMachine,
} from '../support/installed/installed-machine.ts';
import { cleanUp, othersChanges } from '../support/installed/resolver-changes.ts';
import { layOtherUnits } from '../support/installed/other-units.ts';
import { whileUsed } from '../support/installed/while-used.ts';

/** The helper as it is installed: under a systemd that forbids it all that its unit says. */

/** No program gets an answer of the machine's own resolver, whatever that knows. */
const silentStub = `table inet stub {
  chain output { type filter hook output priority filter; ip daddr 127.0.0.53 drop; }
}`;

const managers = casesOf<keyof typeof othersChanges>({
  usual: ['resolved'],
  all: ['resolved', 'resolvconf', 'openresolv'],
});

let installed: InstalledMachine;
let initialSnapshot: string;

describe.each(managers)('with %s in charge of names', (manager) => {
  beforeAll(async () => {
    installed = await createInstalledMachine(manager, manager === 'resolved' ? layOtherUnits : undefined);
    await installed.helper();
    initialSnapshot = await installed.snapshot();
  });

  afterAll(async () => {
    await installed?.[Symbol.asyncDispose]();
  });

  // Before any test starts the helper again.
  if (manager === 'resolved')
    test('the helper is up before the network where something needs the network early, and nothing is dropped', async () => {
      const { machine } = installed;
      const since = async (name: string) => {
        const shown = await machine.run(
          words(`systemctl show --property=ActiveEnterTimestampMonotonic --value ${name}`),
        );
        return Number(shown);
      };
      const [helper, network, other] = await Promise.all(
        [unit, 'network-pre.target', 'cloud-init.service'].map((name) => since(name)),
      );
      expect(helper).toBeGreaterThan(0);
      expect(network).toBeGreaterThan(helper!);
      expect(other).toBeGreaterThan(network!);
      expect(await machine.run(words('journalctl --boot --output=cat'))).not.toMatch(/ordering cycle/i);
    });

  if (isExhaustive)
    test('a connection, its names at the VPN’s resolver, and all as it was found', async () => {
      const { internet, gatewayMachine } = installed.net.lab;
      const asked = async (side: typeof internet) =>
        (await side.queries()).filter(({ name }) => name === names.where);
      expect(await installed.resolve(names.where)).toEqual([addresses.direct.ipv4]);
      expect(await installed.resolve(names.inside)).toEqual([]);
      const outside = await asked(internet);
      expect(outside).not.toEqual([]);

      const client = await installed.connect();
      expect(await installed.net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
      expect(await installed.resolve(names.inside)).toEqual([addresses.inside.ipv4]);
      expect(await installed.resolve(names.where)).toEqual([addresses.inside.ipv4]);
      expect(await asked(gatewayMachine)).not.toEqual([]);
      expect(await asked(internet)).toEqual(outside);
      await client.call('disconnect', {});
      expect(await installed.snapshot()).toBe(initialSnapshot);
      expect(await installed.resolve(names.where)).toEqual([addresses.direct.ipv4]);
      expect(await installed.net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
    });

  test('no name leaves the machine outside the tunnel, of whatever kind it is, and a killed helper blocks all', async () => {
    let serial = 0;
    /** The ports that look-ups of one label and of several, each a name of its own, are seen to go to. */
    const portsAsked = async () => {
      const marker = `marker${process.pid}n${(serial += 1)}`;
      const capture = await installed.net.lab.capture();
      await Promise.all([marker, `${marker}.${names.probes}`].map((name) => installed.resolve(name)));
      const leaks = findLeaks(await capture.stop(), marker);
      return [...new Set(leaks.map(({ packet }) => packet.destinationPort))];
    };
    // A single label is asked for on the local network, too, by LLMNR (RFC 4795).
    const controls = manager === 'resolved' ? [53, 5355] : [53];
    expect(await portsAsked()).toEqual(expect.arrayContaining(controls));
    const client = await installed.connect({ killSwitch: true });
    expect(await installed.net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
    expect(await installed.resolve(names.inside)).toEqual([addresses.inside.ipv4]);
    if (manager === 'resolved') {
      const link = await installed.machine.run(words('resolvectl status wm0'));
      expect(link).toMatch(/^ *Protocols: \+DefaultRoute -LLMNR -mDNS /m);
    }
    expect(await portsAsked()).toEqual([]);
    await installed.killHelper();
    expect(await portsAsked()).toEqual([]);
    client[Symbol.dispose]();
    const next = await installed.attach();
    expect(next.states).toMatchObject([{ state: 'connecting', phase: 'authenticating' }]);
    expect(await installed.net.lab.user.seenFrom()).toBeUndefined();
    await next.call('disconnect', {});
    // The machine's own resolver notices by itself that the device is gone.
    await expect.poll(() => installed.snapshot()).toBe(initialSnapshot);
    expect(await installed.net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
    expect(await portsAsked()).toEqual(expect.arrayContaining(controls));
  });

  test('others’ changes while connected are put back, and theirs are there at the end', async () => {
    const { machine } = installed;
    const client = await installed.connect();
    const putBacks = async () =>
      (await machine.run(words(`journalctl --unit=${unit} --output=cat`))).match(/were put back/g)?.length ??
      0;
    for (const change of othersChanges[manager]) {
      if (!change.isUndone && !isExhaustive) continue;
      const before = await putBacks();
      await machine.run(['sh', '-c', change.does]);
      if (change.isUndone)
        await eventually(change.does, async () => (await putBacks()) > before || undefined);
      await eventually(
        `names after ${change.does}`,
        async () => (await installed.resolve(names.inside)).includes(addresses.inside.ipv4) || undefined,
      );
    }
    await client.call('disconnect', {});
    await machine.run(['sh', '-c', cleanUp[manager]]);
    await eventually(
      'all is as before',
      async () => (await installed.snapshot()) === initialSnapshot || undefined,
    );
  });

  if (isExhaustive)
    test('while nothing passes, a look-up fails by itself and at once, and no name leaves', async () => {
      const { machine, net } = installed;
      /** Whether it came to an end before resolver(3) would have given up waiting, which takes 20 seconds. */
      const endsAtOnce = async (name: string) => {
        const { code } = await machine.exec(words(`timeout 10 getent ahostsv4 ${name}`));
        expect(code).not.toBe(0);
        return code !== 124;
      };
      const client = await installed.connect({ killSwitch: true });
      await client.call('disconnect', { reason: 'session-ended' });
      const capture = await net.lab.capture();
      expect(await endsAtOnce(`blocked.${names.probes}`)).toBe(true);
      await client.call('connect', net.request({ killSwitch: true }));
      expect(client.states.at(-1)).toMatchObject({ state: 'connecting', phase: 'authenticating' });
      expect(await endsAtOnce(`connecting.${names.probes}`)).toBe(true);
      const packets = await capture.stop();
      expect(['blocked', 'connecting'].flatMap((marker) => findLeaks(packets, marker))).toEqual([]);
      await client.call('disconnect', {});
      expect(await installed.snapshot()).toBe(initialSnapshot);
      const control = await net.lab.capture();
      expect(await installed.resolve(`open.${names.probes}`)).not.toEqual([]);
      expect(findLeaks(await control.stop(), 'open')).not.toEqual([]);
    });

  if (isExhaustive)
    test('killed while connected, it is started again and puts everything back', async () => {
      await installed.connect({ killSwitch: false });
      await installed.killHelper();
      expect(await installed.snapshot()).toBe(initialSnapshot);
      expect((await installed.attach()).states).toEqual([
        { state: 'disconnected', reason: 'helper-restarted' },
      ]);
    });

  if (isExhaustive)
    test('stopped while connected, it leaves everything as it was found', async () => {
      await installed.connect({ killSwitch: false });
      await installed.machine.run(words(`systemctl stop ${unit}`));
      expect(await installed.snapshot()).toBe(initialSnapshot);
      await installed.machine.run(words(`systemctl start ${unit}`));
      await installed.helper();
    });

  if (manager === 'resolved') describe('a machine with the unit', testUnit);
});

function testUnit(): void {
  test('names are looked up in the tunnel alone, though NetworkManager has the uplink asked for all of them', async () => {
    const { machine, net } = installed;
    // As it does with the device of the default route.
    await machine.run(words(`resolvectl dns uplink ${addresses.resolver.ipv4}`));
    // So many that resolvectl breaks the line, and the last of them comes last in it.
    const domains = ['corp', 'europe', 'laboratory', 'advertising'].map((part) => `${part}.example.com`);
    await machine.run(words(`resolvectl domain uplink ${domains.join(' ')} ~.`));
    /** Whether it is asked for a name outside the tunnel that is in no domain of the gateway's own. */
    const isAskedOutside = async (label: string) => {
      const capture = await net.lab.capture('port 53');
      await machine.exec(words(`resolvectl query ${label}.example`));
      return findLeaks(await capture.stop(), label).length > 0;
    };
    expect(await isAskedOutside('control')).toBe(true);
    const listed: Routing = {
      mode: 'ip',
      policy: 'include',
      routeIps: [`${addresses.echo.ipv4}/32`],
      localNetwork: false,
    };
    const client = await installed.connect({ routing: listed });
    expect(await isAskedOutside('connected')).toBe(false);
    // Also of one that is told so later.
    await machine.run(words('resolvectl revert uplink'));
    await machine.run(words(`resolvectl dns uplink ${addresses.resolver.ipv6}`));
    await machine.run(words('resolvectl domain uplink ~.'));
    await eventually('it is asked no more', async () => !(await isAskedOutside('changed')) || undefined);
    await client.call('disconnect', {});
    // The machine's own resolver notices by itself that the device is gone.
    await eventually('it is asked again', async () => (await isAskedOutside('after')) || undefined);
    await machine.run(words('resolvectl revert uplink'));
  });

  test('the helper has the rights that the unit leaves it, and no others', async () => {
    const status = await readFile(installed.machine.file(`/proc/${await installed.helper()}/status`), 'utf8');
    // CAP_KILL, CAP_SETGID, CAP_SETUID, CAP_SETPCAP, CAP_NET_BIND_SERVICE, CAP_NET_ADMIN and CAP_BPF: bits 5 to 8, 10,
    // 12 and 39 (capabilities(7)).
    for (const set of ['CapPrm', 'CapEff', 'CapBnd']) expect(status).toContain(`${set}:\t00000080000015e0`);
    expect(status).toMatch(/^NoNewPrivs:\t1$/m);
    // Filtered (proc(5)).
    expect(status).toMatch(/^Seccomp:\t2$/m);
  });

  test('members of the group may call, others may not', async () => {
    const { machine } = installed;
    const gid = Number((await machine.run(words('getent group waymaker'))).split(':')[2]);
    const nobody = 65_534;
    const greet = (groups?: number) =>
      greetAs(machine, '/run/waymaker/helper.sock', { uid: nobody, gid: nobody, groups }, places.node);
    expect(await greet(gid)).toMatchObject({ answer: { result: { protocolVersion: 1 } } });
    expect(await greet()).toEqual({ answer: null, letGo: true, error: 'EACCES' });
  });

  test('systemd-networkd leaves the tunnel’s device alone, also with settings for every device', async () => {
    const { machine } = installed;
    const stateOf = async (device: string) =>
      /State: \S+ \((\w+)\)/.exec(await machine.run(words(`networkctl status --no-pager ${device}`)))?.[1];
    /** Once it has decided (networkctl(1), SETUP). */
    const decided = (device: string) =>
      eventually(`it has decided about ${device}`, async () => {
        const state = await stateOf(device).catch(() => undefined);
        return state === 'pending' || state === 'initialized' ? undefined : state;
      });
    await machine.run(words('ip link add other0 type veth peer name other1'));
    await machine.run(words('systemctl start systemd-networkd.service'));
    try {
      expect(await decided('other0')).not.toBe('unmanaged');
      if (!isExhaustive) {
        await machine.run(words('ip tuntap add dev wm0 mode tun'));
        expect(await decided('wm0')).toBe('unmanaged');
        await machine.run(words('ip link delete wm0'));
        return;
      }
      const client = await installed.connect();
      expect(await decided('wm0')).toBe('unmanaged');
      await eventually(
        'names are found',
        async () => (await installed.resolve(names.inside)).includes(addresses.inside.ipv4) || undefined,
      );
      expect(await machine.run(words('ip -6 -o address show dev wm0 scope link'))).toBe('');
      await client.call('disconnect', {});
    } finally {
      await machine.run(words('ip link delete other0'));
      await machine.run(words('systemctl stop systemd-networkd.socket systemd-networkd.service'));
    }
  });

  test('the state says so where the tunnel’s resolvers answer, but no program of the machine is told', async () => {
    const { machine, net } = installed;
    const client = await installed.connect();
    const until = (problems: readonly string[], seen: number) =>
      client.until('connected', {
        seen,
        where: (state) => (state.problems ?? []).join() === problems.join(),
        limitMs: 60_000,
      });
    await until([], 0);
    let seen = client.states.length;
    await net.lab.user.run(words('nft -f -'), { input: silentStub });
    await whileUsed(machine, async () => {
      await until(['names-fail'], seen);
      seen = client.states.length;
      await net.lab.user.run(words('nft delete table inet stub'));
      await until([], seen);
    });
    await client.call('disconnect', {});
  });

  /** Blocks traffic, as while a connection waits for its sign-in. */
  async function block(): Promise<void> {
    const client = await installed.attach();
    await client.call('connect', installed.net.request({ killSwitch: true }));
    client[Symbol.dispose]();
    expect(await installed.net.lab.user.seenFrom()).toBeUndefined();
  }

  test('the package’s scripts replace the helper in one go, and systemd starts no other after restore --force', async () => {
    const { machine } = installed;
    const runScript = (name: 'postinst' | 'prerm', ...occasion: string[]) =>
      machine.run(['sh', '-s', '--', ...occasion], { input: coreScripts.debian[name] });
    // In containers it often forbids what packages start.
    await machine.run(words('rm -f /usr/sbin/policy-rc.d'));
    const found = await installed.snapshot();
    await block();
    const before = await installed.helper();
    await runScript('prerm', 'upgrade', '9999.0.0');
    expect(await installed.net.lab.user.seenFrom(), 'while its files are replaced').toBeUndefined();
    expect(await installed.helper(), 'while its files are replaced').toBe(before);
    await runScript('postinst', 'configure', '0.0.1');
    expect(await installed.helper()).not.toBe(before);
    expect(await installed.net.lab.user.seenFrom(), 'with another helper').toBeUndefined();

    expect(await machine.exec(['waymaker', 'restore', '--json'])).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('helper-running'),
    });
    expect(await installed.net.lab.user.seenFrom(), 'without --force').toBeUndefined();
    expect(await machine.exec(['waymaker', 'restore', '--json', '--force'])).toMatchObject({
      code: 0,
      stdout: '{"restored":true}\n',
    });
    const state = words(`systemctl show --property=ActiveState --value ${unit}`);
    await eventually('systemd has seen its end', async () => {
      return (await machine.run(state)).trim() === 'inactive' || undefined;
    });
    await expect.poll(() => installed.snapshot()).toBe(found);
    expect(await installed.net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
    await machine.run(words(`systemctl start ${unit}`));
    await installed.helper();

    await block();
    await runScript('prerm', 'remove');
    expect(await installed.snapshot(), 'before its files go').toBe(found);
    expect(await installed.net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
    await machine.run(words(`systemctl start ${unit}`));
    await installed.helper();
  });

  test('with the kill switch on, traffic is blocked at boot before the network comes up, from the first packet on', async () => {
    const { machine, net } = installed;
    const marker = 'first-packets';
    // Begins as soon as its unit may, and does not stop.
    const send = `while :; do echo ${marker} > /dev/udp/${addresses.echo.ipv4}/${ports.echo}; sleep 0.01; done`;
    await block();
    await machine.run(words(`systemctl kill --signal=KILL ${unit}`));
    await machine.run(words(`systemctl stop ${unit} network-pre.target`));
    // What a boot finds: nothing that is in memory only, the kernel's tables among it.
    const forget = [
      'nft flush ruleset',
      'ip -4 rule flush protocol 87',
      'ip -6 rule flush protocol 87',
      '{ ip link delete wm0 || :; }',
      'rm -rf /run/waymaker',
    ];
    await machine.run(['sh', '-c', forget.join(' && ')]);
    expect(await machine.run(words('nft list tables'))).toBe('');
    const ordered = ['[Unit]', 'Wants=network-pre.target', 'After=network-pre.target'];
    const look = [
      '[Service]',
      'ExecStartPre=/bin/sh -c "nft list tables > /run/when-network-came"',
      `ExecStart=/bin/bash -c "${send}"`,
    ];
    const network = [...ordered, ...look];
    const boot = ['[Unit]', `Wants=lab-uplink.service ${unit}`];
    for (const [name, lines] of Object.entries({ 'lab-uplink.service': network, 'lab-boot.target': boot })) {
      await machine.run(['sh', '-c', `cat > /run/systemd/system/${name}`], {
        input: `${lines.join('\n')}\n`,
      });
    }
    await machine.run(words('systemctl daemon-reload'));
    const capture = await net.lab.capture();
    await machine.run(words('systemctl start lab-boot.target lab-uplink.service'));
    expect(await machine.run(words('cat /run/when-network-came'))).toBe('table inet waymaker\n');
    const client = await installed.attach();
    expect(await net.lab.user.seenFrom()).toBeUndefined();
    expect(findLeaks(await capture.stop(), marker)).toEqual([]);
    const control = await net.lab.capture();
    await client.call('disconnect', {});
    await eventually('the same unit’s packets are seen once they may leave', async () => {
      return findLeaks(await control.packets(), marker).length > 0 || undefined;
    });
    await control.stop();
    await machine.run(words('systemctl stop lab-uplink.service'));
    expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
  });
}

import type { ChildProcess } from 'node:child_process';
import { isIPv4 } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addresses, names, pools, ports } from '../../lab/network/addresses.ts';
import { takeLab } from '../../lab/kept-labs.ts';
import type { Lab } from '../../lab/lab.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { startOpenconnect } from '../../lab/gateway/openconnect.ts';
import { endProcess, eventually, startUntil, words } from '../../lab/runs/process.ts';
import { curlLimits } from '../../lab/probes/probe.ts';

/** The laboratory with nothing of ours in it: Debian's openconnect and its stock vpnc-script. */

const user = { name: 'visitor', password: 'correct horse' };
let lab: Lab;
beforeAll(async () => {
  lab = await takeLab();
  await lab.gateway.addUser(user.name, user.password);
});
afterAll(() => lab[Symbol.asyncDispose]());

const connect = (gateway = lab.gateway) => startOpenconnect(lab.user, gateway, user);
const disconnect = (client: ChildProcess) => endProcess(client, 'SIGINT');

describe('without a tunnel', () => {
  test('a far destination sees the machine itself, over both IP versions', async () => {
    expect(await lab.user.seenFrom('direct')).toBe(addresses.user.ipv4);
    expect((await lab.user.probe.http6('direct'))?.address).toBe(addresses.user.ipv6);
  });

  test("names are the public resolver's", async () => {
    expect(await lab.user.resolve(names.where)).toEqual(Object.values(addresses.direct).sort());
    expect(await lab.user.resolve(names.inside)).toEqual([]);
  });

  test('a snapshot is the same twice, and shows each kind of change', async () => {
    const before = await lab.user.snapshot();
    expect(await lab.user.snapshot()).toBe(before);
    const changes = [
      ['ip address add 192.0.2.99/32 dev lo', 'ip address del 192.0.2.99/32 dev lo'],
      ['ip route add blackhole 192.0.2.99 table 7', 'ip route flush table 7'],
      ['ip -6 rule add priority 7 lookup 7', 'ip -6 rule del priority 7'],
      ['nft add table inet x', 'nft delete table inet x'],
      ['sysctl -qw net.ipv4.conf.all.src_valid_mark=1', 'sysctl -qw net.ipv4.conf.all.src_valid_mark=0'],
      ['cp /etc/resolv.conf /run/vpnc/kept', 'true'],
      ['sh -c :>/etc/resolv.conf', 'cp /run/vpnc/kept /etc/resolv.conf'],
    ];
    for (const [make = '', undo = ''] of changes) {
      const isChange = undo !== 'true';
      await lab.user.run(words(make));
      expect((await lab.user.snapshot()) !== before, make).toBe(isChange);
      await lab.user.run(words(undo));
      expect((await lab.user.snapshot()) === before, undo).toBe(true);
    }
  });
});

describe('through openconnect', () => {
  let client: ChildProcess;
  let before: string;
  beforeAll(async () => {
    before = await lab.user.snapshot();
    client = await connect();
  });

  test("a far destination sees the gateway's addresses", async () => {
    expect(await lab.user.seenFrom('tunnel')).toBe(addresses.gateway.ipv4);
    expect((await lab.user.probe.http6('tunnel'))?.address).toBe(addresses.gateway.ipv6);
  });

  test("names are the VPN resolver's", async () => {
    expect(await lab.user.resolve(names.where)).toEqual(Object.values(addresses.inside).sort());
    const asked = (await lab.gatewayMachine.queries()).filter(({ name }) => name === names.where);
    expect(asked.map(({ type }) => type)).toContain('A');
  });

  test('DTLS carries it', async () => {
    const capture = await lab.capture(`host ${addresses.gateway.ipv4}`);
    await lab.user.probe.http4('dtls');
    const packets = await capture.stop();
    const udp = packets.filter(({ protocol, destination, destinationPort }) => {
      return protocol === 17 && destination === addresses.gateway.ipv4 && destinationPort === ports.gateway;
    });
    expect(udp).not.toEqual([]);
  });

  test('the machine is as before afterwards', async () => {
    await disconnect(client);
    expect(await lab.user.snapshot()).toBe(before);
  });
});

test('a gateway gives addresses of another pool after a restart', async () => {
  const tunnelAddress = async () => {
    const shown = await lab.user.run(['ip', '-4', '-o', 'address', 'show', 'dev', 'tun0']);
    return /inet (\S+)\//.exec(shown)?.[1] ?? '';
  };
  const first = await connect();
  const before = await tunnelAddress();
  await disconnect(first);
  await lab.gateway.restart({ pool: pools.second });
  const second = await connect();
  const after = await tunnelAddress();
  await disconnect(second);
  await lab.gateway.restart({ pool: pools.first });
  expect(isIPv4(before) && isInPool(before, pools.first.ipv4)).toBe(true);
  expect(isIPv4(after) && isInPool(after, pools.second.ipv4)).toBe(true);
});

/** Both pools are the /26 that begins at their first address. */
function isInPool(address: string, firstAddress: string): boolean {
  const parts = (text: string) => text.split('.').map(Number);
  const [last = 0, first = 0] = [parts(address)[3], parts(firstAddress)[3]];
  return address.startsWith('198.51.100.') && last >= first && last < first + 64;
}

test('a gateway whose authority nobody knows is refused', async () => {
  await lab.untrustedGateway.start();
  await lab.untrustedGateway.addUser(user.name, user.password);
  const { untrustedGateway } = lab;
  await expect(
    startOpenconnect(lab.user, { ...untrustedGateway, authorityFile: lab.gateway.authorityFile }, user),
  ).rejects.toThrow(/certificate/i);
  // With its own authority the same gateway lets the same user in: it was the certificate.
  await disconnect(await connect(untrustedGateway));
  await untrustedGateway.stop();
});

test('a gateway that was killed refuses, one that is cut off says nothing', async () => {
  const reach = async () => {
    const { code } = await lab.user.exec(['curl', '-sk', ...curlLimits(), `https://${names.gateway}/`]);
    return code;
  };
  expect(await reach()).toBe(0);
  await lab.setGatewayReachable(false);
  // curl(1): 28 is a timeout, 7 a refused connection.
  expect(await reach()).toBe(28);
  await lab.setGatewayReachable(true);
  await lab.gateway.kill();
  expect(await reach()).toBe(7);
  await lab.gateway.start();
  expect(await reach()).toBe(0);
});

describe('a capture', () => {
  const kinds = async (probe: (marker: string) => Promise<unknown>) => {
    const capture = await lab.capture();
    await probe('markedtext');
    return findLeaks(await capture.stop(), 'markedtext').map(({ kind }) => kind);
  };

  test('sees each probe for what it is', async () => {
    const { probe } = lab.user;
    expect(await kinds(probe.http4)).toContain('cleartext');
    expect(await kinds(probe.udp4)).toContain('cleartext');
    expect(await kinds(probe.udp6)).toContain('cleartext');
    expect(await kinds(probe.dns)).toContain('dns');
    expect(await kinds(probe.dnsToPublicResolver)).toContain('dns');
    expect(await kinds(() => lab.user.exec(['ping', '-c1', addresses.echo.ipv6]))).toContain('ipv6');
    expect(await kinds(() => lab.user.exec(['ping', '-c1', addresses.echo.ipv4]))).toContain('other');
  });

  test('sees a stream of all of them', async () => {
    const seen = await kinds(async (marker) => {
      const stream = await lab.user.probe.stream(marker);
      await stream[Symbol.asyncDispose]();
    });
    expect(new Set(seen)).toEqual(new Set(['cleartext', 'dns', 'ipv6', 'other']));
  });

  test('misses none of many packets that come while it waits for a processor', async () => {
    const { user: machine } = lab;
    const capture = await lab.capture(`udp dst port ${ports.discard}`);
    const tcpdump = await machine.run(['sh', '-c', 'exec pgrep --ns $$ --nslist net -x tcpdump']);
    await machine.run(['kill', '-STOP', tcpdump.trim()]);
    const many = 300;
    const send = `echo marked >/dev/udp/${addresses.echo.ipv4}/${ports.discard}`;
    await machine.run(['bash', '-c', `for ((n = 0; n < ${many}; n++)); do ${send}; done`]);
    await machine.run(['kill', '-CONT', tcpdump.trim()]);
    expect(await capture.stop()).toHaveLength(many);
  });

  test('sees none of them inside a tunnel, nor traffic with the gateway', async () => {
    const client = await connect();
    try {
      const { probe } = lab.user;
      for (const send of [probe.http4, probe.http6, probe.udp4, probe.udp6, probe.dns]) {
        expect(await kinds(send)).toEqual([]);
      }
    } finally {
      await disconnect(client);
    }
  });
});

test('a delay holds every packet, in both directions', async () => {
  const ping = async () => {
    const shown = await lab.user.run(['ping', '-c', '1', addresses.gateway.ipv4]);
    const [, hops, milliseconds] = /ttl=(\d+) time=([\d.]+)/.exec(shown) ?? [];
    return { timeToLive: Number(hops), roundTrip: Number(milliseconds) };
  };
  const direct = await ping();
  const delay = await lab.delay(50);
  const delayed = await ping();
  await delay[Symbol.asyncDispose]();
  expect(delayed.roundTrip).toBeGreaterThanOrEqual(100);
  // The relay is one more hop; it is in the way while there is a delay, and only then.
  expect(delayed.timeToLive).toBe(direct.timeToLive - 1);
  expect((await ping()).timeToLive).toBe(direct.timeToLive);
});

test('a port inside is reachable on this machine', async () => {
  await using published = await lab.publish({ host: addresses.echo.ipv4, port: ports.http });
  const reply = await fetch(`${published.url}/from-outside`);
  expect(await reply.json()).toMatchObject({ path: '/from-outside' });
});

test('a process inside has its own resolver, its own interfaces in /sys, and the cgroups of the machine', async () => {
  expect(await lab.user.run(['cat', '/etc/resolv.conf'])).toContain(addresses.resolver.ipv4);
  expect((await lab.user.run(['ls', '/sys/class/net'])).split('\n').filter(Boolean).sort()).toEqual([
    'lo',
    'uplink',
  ]);
  expect(await lab.user.run(['ls', '/sys/fs/cgroup'])).not.toBe('');
  const child = await startUntil(lab.user.command(['sh', '-c', 'echo $$; exec sleep 60']).flat(), /\d/);
  const inside = (await lab.user.run(['readlink', '/proc/self/ns/net'])).trim();
  const seen = await eventually('its namespace', async () =>
    (await lab.user.run(['readlink', `/proc/${child.pid}/ns/net`])).trim(),
  );
  await endProcess(child, 'SIGKILL');
  expect(seen).toBe(inside);
});

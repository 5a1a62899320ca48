import path from 'node:path';
import { chmod, copyFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import dnsPacket from 'dns-packet';
import { expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { resolve } from '../../lab/probes/probe.ts';
import { eventually } from '../../lab/runs/process.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import {
  modeApp,
  programLab,
  curl,
  echoes,
  exclude,
  include,
  nowhere,
  past,
  tunnelled,
} from '../support/programs/program-lab.ts';
import { runInGroup, startAs } from '../support/programs/grouped-process.ts';
import { proxyGone } from '../support/helper-lab.ts';

/** Mode app: the owner's group of programs goes through the tunnel, or everything else. */

const { echo, inside, neighbour, userPrivate, gateway, direct, resolver, user } = addresses;
const everything: Routing = { mode: 'global', localNetwork: false };
const pac: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };

const isOwn = (address: string) => Object.values(user).some((own) => own === address);

const lab = programLab();
const { uid } = lab;

test(
  'only the group goes through the tunnel, of both IP versions and with its names',
  async () => {
    expect(await lab.seenBy('group', echoes)).toEqual(past);
    await lab.connect(include);
    const state = lab.client.states.at(-1);
    expect(state).toMatchObject({ routing: { mode: 'app', policy: 'include' } });
    expect(state).not.toHaveProperty('problems');
    const hosts = [...echoes, names.inside];
    expect(await lab.seenBy('group', hosts)).toEqual([...tunnelled, expect.any(String)]);
    expect(await lab.seenBy('outside', hosts)).toEqual([...past, undefined]);
    // Its children with more rights, too.
    const setuid = path.join(lab.net.lab.directory, 'curl');
    await copyFile('/usr/bin/curl', setuid);
    await chmod(setuid, 0o4755);
    expect(await lab.seenBy('group', echoes, curl.replace('curl', setuid))).toEqual(tunnelled);
    // Whoever may bind a socket to a device does not get out by it.
    const bound = `${curl} --interface uplink`;
    const packets = await lab.packetsWhile(async () => {
      expect(await lab.seenBy('group', echoes, bound)).toEqual(nowhere);
    });
    expect(packets).toEqual({ toEcho: 0, lookUps: 0 });
    expect(await lab.seenBy('outside', echoes, bound)).toEqual(past);

    expect(await lab.seenBy('group', [neighbour.ipv4])).toEqual([gateway.ipv4]);
    await lab.client.call('setRouting', { routing: modeApp('include', true) });
    expect(await lab.seenBy('group', [neighbour.ipv4, ...echoes])).toEqual([userPrivate.ipv4, ...tunnelled]);
  },
  waitLimit(60_000),
);

/** Asks a resolver for an address by a socket without a peer, and says what came back from where. */
const askByDatagram = `
  const [family, host, query] = process.argv.slice(1);
  const socket = require('node:dgram').createSocket(family);
  const say = (text) => { console.log(text); socket.close(); };
  socket.on('message', (answer, { address }) => say(address + ' ' + answer.toString('hex')));
  socket.send(Buffer.from(query, 'hex'), 53, host, (error) => error && say(error.code));
  setTimeout(() => process.exit(), ${waitLimit(4000)}).unref();`;

/** A connection of Multipath TCP (RFC 8684), whose sockets the kernel makes for the program. */
const connectByMultipath = `
  use Socket;
  socket(my $to, AF_INET, SOCK_STREAM, 262) or die "$!";
  connect($to, sockaddr_in(${ports.http}, inet_aton($ARGV[0]))) or print("refused"), exit;
  syswrite($to, "GET / HTTP/1.0\\r\\n\\r\\n");
  print(<$to>);`;

test(
  'neither do look-ups without a connection leave, nor sockets that the kernel makes for a program',
  async () => {
    await lab.connect(include);
    const question = { type: 'A', name: names.inside } as const;
    const query = dnsPacket.encode({
      type: 'query',
      id: 7,
      flags: dnsPacket.RECURSION_DESIRED,
      questions: [question],
    });
    const ask = async (host: string) => {
      const family = host.includes(':') ? 'udp6' : 'udp4';
      const argv = [process.execPath, '-e', askByDatagram, '--', family, host, query.toString('hex')];
      const { stdout } = await runInGroup(lab.net.lab.user, { uid, client: lab.client }, '"$@"', argv);
      return stdout.trim().split(' ');
    };
    const found = Buffer.from(inside.ipv4.split('.').map(Number)).toString('hex');
    const packets = await lab.packetsWhile(async () => {
      // Whom it has asked is who answers, or programs that compare would take no answer.
      expect(await ask(resolver.ipv4)).toEqual([resolver.ipv4, expect.stringContaining(found)]);
      expect(await ask(resolver.ipv6)).toEqual([resolver.ipv6, expect.stringContaining(found)]);
      expect(await ask('127.0.0.53')).toEqual(['127.0.0.53', expect.stringContaining(found)]);
      const multipath = ['perl', '-e', connectByMultipath, echo.ipv4];
      const { stdout } = await runInGroup(lab.net.lab.user, { uid, client: lab.client }, '"$@"', multipath);
      expect(stdout).toContain(gateway.ipv4);
    });
    expect(packets).toEqual({ toEcho: 0, lookUps: 0 });
  },
  waitLimit(60_000),
);

test(
  'all but the group goes through the tunnel, with their names each',
  async () => {
    await lab.connect(exclude);
    expect(lab.client.states.at(-1)).toMatchObject({ routing: { mode: 'app', policy: 'exclude' } });
    // By name the one gets to the echo behind the tunnel, the other to the one that everybody sees.
    const hosts = [...echoes, names.where];
    expect(await lab.seenBy('outside', hosts)).toEqual([...tunnelled, expect.any(String)]);
    expect(await resolve(lab.net.lab.user, names.where)).toContain(inside.ipv4);
    expect(await lab.seenBy('group', hosts)).toEqual([...past, expect.any(String)]);
    const asked = await runInGroup(
      lab.net.lab.user,
      { uid, client: lab.client },
      `getent ahosts ${names.where}`,
    );
    expect(asked.stdout).toContain(direct.ipv4);
    expect(await lab.seenBy('outside', echoes, `${curl} --interface uplink`)).toEqual(nowhere);
  },
  waitLimit(60_000),
);

test(
  'others’ rules that replace all marks, as those of CONNMARK do, leave the group where it belongs',
  async () => {
    const restore = (family: string) => `table ${family} theirs {
      chain output { type route hook output priority mangle; meta mark set ct mark; }
      chain leaving { type filter hook postrouting priority mangle; ct mark set meta mark; }
    }`;
    const { user: machine } = lab.net.lab;
    await machine.run(['nft', '-f', '-'], { input: ['ip', 'ip6'].map(restore).join('\n') });
    try {
      await lab.connect(include);
      const hosts = [...echoes, names.inside];
      expect(await lab.seenBy('group', hosts)).toEqual([...tunnelled, expect.any(String)]);
      expect(await lab.seenBy('outside', hosts)).toEqual([...past, undefined]);
      await lab.client.call('setRouting', { routing: exclude });
      expect(await lab.seenBy('group', echoes)).toEqual(past);
      expect(await lab.seenBy('outside', echoes)).toEqual(tunnelled);
    } finally {
      for (const family of ['ip', 'ip6']) await machine.run(['nft', 'delete', 'table', family, 'theirs']);
    }
  },
  waitLimit(60_000),
);

test(
  'what belongs in the tunnel by both modes stays inside while they change',
  { timeout: waitLimit(90_000) },
  async () => {
    await lab.connect(everything);
    const stream = path.resolve(import.meta.dirname, '../../lab/probes/probe-stream.ts');
    const sender = await startAs(lab.net.lab.user, uid, 'exec "$@"', [
      process.execPath,
      stream,
      'marker',
      '10',
    ]);
    await lab.client.call('moveProcess', { pid: sender.pid, into: 'group' });
    sender.say();
    expect(await sender.next()).toMatch('sending');
    const listed: Routing = {
      mode: 'ip',
      policy: 'exclude',
      routeIps: [`${direct.ipv4}/32`],
      localNetwork: false,
    };
    const whileChanged = async (ways: readonly Routing[]) => {
      const capture = await lab.net.lab.capture();
      for (const routing of ways) {
        await lab.client.call('setRouting', { routing });
        await delay(100);
      }
      // A server may still answer connections of the way before; nobody has them, so the kernel resets them.
      return findLeaks(await capture.stop(), 'marker').filter(
        ({ packet }) => !isOwn(packet.destination) && !packet.isReset,
      );
    };
    const usual = [include, everything, listed, include];
    const carrying = casesOf({ usual, all: [...usual, everything, modeApp('include', true), everything] });
    expect(await whileChanged(carrying)).toEqual([]);
    const isSeenWith = async (routing: Routing) => {
      const capture = await lab.net.lab.capture();
      await lab.client.call('setRouting', { routing });
      await eventually('it is seen', async () => {
        return findLeaks(await capture.packets(), 'marker').length > 0 || undefined;
      });
      await capture.stop();
    };
    await isSeenWith(exclude);
    if (isExhaustive) {
      await lab.client.call('setRouting', { routing: include });
      expect(await whileChanged([include, everything, include])).toEqual([]);
      await isSeenWith(pac);
    }
    process.kill(sender.pid, 'SIGKILL');
    await sender.finish();
    await lab.client.call('disconnect', {});
    await proxyGone(lab.net);
  },
);

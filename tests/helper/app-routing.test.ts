import { existsSync } from 'node:fs';
import { chmod, copyFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import dnsPacket from 'dns-packet';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { helperError, type ConnectRequest } from '#shared/helper/protocol.ts';
import type { Routing } from '#shared/tunnel/state.ts';
import { attachedPrograms, detachProgram, hookNames } from '../../helper/linux/bpf.ts';
import { addresses, names, pools, ports } from '../lab/addresses.ts';
import { controlGroupOf, unifiedCgroups } from '../lab/control-groups.ts';
import { findLeaks } from '../lab/leaks.ts';
import { setKernel } from '../lab/network.ts';
import { eventually, words } from '../lab/process.ts';
import { curlLimits, resolve } from '../lab/probe.ts';
import { secondUser } from '../lab/second-user.ts';
import { waitLimit } from '../lab/wait-limit.ts';
import { attachAs } from './support/attach-as.ts';
import { runInGroup, startAs } from './support/grouped-process.ts';
import { createHelperLab, proxyGone, type HelperLab } from './support/helper-lab.ts';
import type { TestClient } from './support/test-client.ts';

/** Mode app: the owner's group of programs goes through the tunnel, or everything else. */

const uid = 64_920;
const { echo, inside, neighbour, user, userPrivate, gateway, direct, resolver } = addresses;

let net: HelperLab;
let client: TestClient;
let initialSnapshot: string;
/** To start it again takes seconds. */
let isGatewayUp = false;

beforeAll(async () => {
  net = await createHelperLab({ gateway: false });
  // As many distributions have it.
  await setKernel(net.lab.user, ['net.ipv4.conf.all.rp_filter=1', 'net.ipv4.conf.uplink.rp_filter=1']);
  initialSnapshot = await net.lab.user.snapshot();
  await net.start({ args: ['--allow-uid', String(uid), '--allow-uid', String(secondUser.uid)] });
  client = await attachAs(net, uid);
});
afterAll(() => net[Symbol.asyncDispose]());

afterEach(async () => {
  const root = await net.attach();
  await root.call('disconnect', {});
  root[Symbol.dispose]();
  expect(await readdir(net.stateDirectory)).toEqual([]);
});

const app = (policy: 'include' | 'exclude', localNetwork = false): Routing => ({
  mode: 'app',
  policy,
  localNetwork,
});
const include = app('include');
const exclude = app('exclude');
const everything: Routing = { mode: 'global', localNetwork: false };
const pac: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };

async function connect(routing: Routing, changes: Partial<ConnectRequest> = {}): Promise<void> {
  if (!isGatewayUp) await net.lab.gateway.restart({ pool: pools.first, ipv6: true });
  isGatewayUp = true;
  const seen = client.states.length;
  await client.call('connect', net.request({ session: await net.signIn(), routing, ...changes }));
  await client.until('connected', { seen });
}

const curl = `curl --silent --noproxy '*' --globoff ${curlLimits().join(' ')}`;
const url = (host: string) => `http://${host.includes(':') ? `[${host}]` : host}:${ports.http}/`;
const addressIn = (reply: string) =>
  reply === '' ? undefined : (JSON.parse(reply) as { address: string }).address;

/**
 * From which address each host sees a program in the group, or one of the same user outside of it; undefined: it did not.
 * A shell is what is moved, and `program` its child.
 */
async function seenBy(
  where: 'group' | 'outside',
  hosts: readonly string[],
  program = curl,
): Promise<(string | undefined)[]> {
  const script = hosts.map((_, index) => `${program} "$${index + 1}"; echo`).join('\n');
  const args = hosts.map(url);
  const { stdout } =
    where === 'group'
      ? await runInGroup(net.lab.user, { uid, client }, script, args)
      : await (await startAs(net.lab.user, uid, script, args)).finish();
  return stdout.split('\n').slice(0, hosts.length).map(addressIn);
}

const echoes = [echo.ipv4, echo.ipv6];
const tunnelled = [gateway.ipv4, gateway.ipv6];
const past = [user.ipv4, user.ipv6];
const nowhere = [undefined, undefined];

/** Packets outside the tunnel to the echo, and those that ask for the name of a probe. */
async function packetsWhile(during: () => Promise<unknown>) {
  const capture = await net.lab.capture();
  await during();
  const packets = await capture.stop();
  const lookUps = packets.filter(({ destinationPort }) => destinationPort === ports.dns);
  const toEcho = packets.filter(({ destination }) =>
    [echo.ipv4, echo.ipv6].some((one) => one === destination),
  );
  return { toEcho: toEcho.length, lookUps: lookUps.length };
}

const controlGroup = async () =>
  path.join(await unifiedCgroups(), controlGroupOf(net.lab.user), String(uid), 'inside');

/** Something that stays in the group, so that it stays. */
async function startInGroup(script = 'read -r line') {
  const program = await startAs(net.lab.user, uid, script);
  await client.call('moveProcess', { pid: program.pid, into: 'group' });
  return program;
}

test(
  'only the group goes through the tunnel, of both IP versions and with its names',
  async () => {
    expect(await seenBy('group', echoes)).toEqual(past);
    await connect(include);
    const state = client.states.at(-1);
    expect(state).toMatchObject({ routing: { mode: 'app', policy: 'include' } });
    expect(state).not.toHaveProperty('problems');
    const hosts = [...echoes, names.inside];
    expect(await seenBy('group', hosts)).toEqual([...tunnelled, expect.any(String)]);
    expect(await seenBy('outside', hosts)).toEqual([...past, undefined]);
    // Its children with more rights, too.
    const setuid = path.join(net.lab.directory, 'curl');
    await copyFile('/usr/bin/curl', setuid);
    await chmod(setuid, 0o4755);
    expect(await seenBy('group', echoes, curl.replace('curl', setuid))).toEqual(tunnelled);
    // Whoever may bind a socket to a device does not get out by it.
    const bound = `${curl} --interface uplink`;
    const packets = await packetsWhile(async () => {
      expect(await seenBy('group', echoes, bound)).toEqual(nowhere);
    });
    expect(packets).toEqual({ toEcho: 0, lookUps: 0 });
    expect(await seenBy('outside', echoes, bound)).toEqual(past);

    expect(await seenBy('group', [neighbour.ipv4])).toEqual([gateway.ipv4]);
    await client.call('setRouting', { routing: app('include', true) });
    expect(await seenBy('group', [neighbour.ipv4, ...echoes])).toEqual([userPrivate.ipv4, ...tunnelled]);
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
    await connect(include);
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
      const { stdout } = await runInGroup(net.lab.user, { uid, client }, '"$@"', argv);
      return stdout.trim().split(' ');
    };
    const found = Buffer.from(inside.ipv4.split('.').map(Number)).toString('hex');
    const packets = await packetsWhile(async () => {
      // Whom it has asked is who answers, or programs that compare would take no answer.
      expect(await ask(resolver.ipv4)).toEqual([resolver.ipv4, expect.stringContaining(found)]);
      expect(await ask(resolver.ipv6)).toEqual([resolver.ipv6, expect.stringContaining(found)]);
      expect(await ask('127.0.0.53')).toEqual(['127.0.0.53', expect.stringContaining(found)]);
      const multipath = ['perl', '-e', connectByMultipath, echo.ipv4];
      const { stdout } = await runInGroup(net.lab.user, { uid, client }, '"$@"', multipath);
      expect(stdout).toContain(gateway.ipv4);
    });
    expect(packets).toEqual({ toEcho: 0, lookUps: 0 });
  },
  waitLimit(60_000),
);

test(
  'all but the group goes through the tunnel, with their names each',
  async () => {
    await connect(exclude);
    expect(client.states.at(-1)).toMatchObject({ routing: { mode: 'app', policy: 'exclude' } });
    // By name the one gets to the echo behind the tunnel, the other to the one that everybody sees.
    const hosts = [...echoes, names.where];
    expect(await seenBy('outside', hosts)).toEqual([...tunnelled, expect.any(String)]);
    expect(await resolve(net.lab.user, names.where)).toContain(inside.ipv4);
    expect(await seenBy('group', hosts)).toEqual([...past, expect.any(String)]);
    const asked = await runInGroup(net.lab.user, { uid, client }, `getent ahosts ${names.where}`);
    expect(asked.stdout).toContain(direct.ipv4);
    expect(await seenBy('outside', echoes, `${curl} --interface uplink`)).toEqual(nowhere);
  },
  waitLimit(60_000),
);

test.each(['include', 'exclude'] as const)(
  'with the kill switch on and the tunnel gone, what belongs in it is blocked (%s)',
  { timeout: waitLimit(90_000) },
  async (policy) => {
    const [captured, other] =
      policy === 'include' ? (['group', 'outside'] as const) : (['outside', 'group'] as const);
    await connect(app(policy), { killSwitch: true });
    const member = await startInGroup();
    const blocked = await packetsWhile(async () => {
      await client.call('disconnect', { reason: 'session-ended' });
      expect(await seenBy(captured, [...echoes, names.echo])).toEqual([...nowhere, undefined]);
    });
    expect(blocked).toEqual({ toEcho: 0, lookUps: 0 });
    const control = await packetsWhile(async () => {
      expect(await seenBy(other, [...echoes, names.echo])).toEqual([...past, expect.any(String)]);
    });
    expect(control.toEcho).toBeGreaterThan(0);
    expect(control.lookUps).toBeGreaterThan(0);

    // A helper that is killed, and the one after it, block the same.
    await net.end('SIGKILL');
    expect(await seenBy('outside', echoes)).toEqual(captured === 'outside' ? nowhere : past);
    await restart();
    expect(await seenBy(captured, [...echoes, names.echo])).toEqual([...nowhere, undefined]);
    expect(await seenBy(other, echoes)).toEqual(past);
    await client.call('disconnect', {});
    expect(await seenBy('group', echoes)).toEqual(past);
    await member.finish();
  },
);

async function restart(): Promise<void> {
  await net.start({ args: ['--allow-uid', String(uid), '--allow-uid', String(secondUser.uid)] });
  client = await attachAs(net, uid);
}

test(
  'a helper that is killed leaves nothing that the next one does not take away, and the group stays',
  async () => {
    await connect(include);
    const member = await startInGroup();
    const group = await controlGroup();
    expect(hookNames.flatMap((hook) => attachedPrograms(group, hook))).toHaveLength(hookNames.length);
    await net.end('SIGKILL');
    await restart();
    // The mark alone is left, by which no socket of the group's is ever without it; it means nothing to anybody.
    const left = hookNames.filter((hook) => attachedPrograms(group, hook).length > 0);
    expect(left).toEqual(['created', 'connect4', 'connect6']);
    expect(await net.lab.user.snapshot()).toBe(initialSnapshot);
    expect(await seenBy('group', [...echoes, names.echo])).toEqual([...past, expect.any(String)]);
    await member.finish();
    await connect(include);
    await client.call('disconnect', {});
    expect(existsSync(group)).toBe(false);
  },
  waitLimit(60_000),
);

test(
  'what belongs in the tunnel by both modes stays inside while they change',
  { timeout: waitLimit(90_000) },
  async () => {
    await connect(everything);
    const stream = path.resolve(import.meta.dirname, '../lab/probe-stream.ts');
    const sender = await startAs(net.lab.user, uid, 'exec "$@"', [process.execPath, stream, 'marker', '10']);
    await client.call('moveProcess', { pid: sender.pid, into: 'group' });
    sender.say();
    expect(await sender.next()).toMatch('sending');
    const listed: Routing = {
      mode: 'ip',
      policy: 'exclude',
      routeIps: [`${direct.ipv4}/32`],
      localNetwork: false,
    };
    const whileChanged = async (ways: Routing[]) => {
      const capture = await net.lab.capture();
      for (const routing of ways) {
        await client.call('setRouting', { routing });
        await delay(100);
      }
      return findLeaks(await capture.stop(), 'marker').length;
    };
    expect(await whileChanged([include, everything, app('include', true), listed, include, everything])).toBe(
      0,
    );
    expect(await whileChanged([exclude])).toBeGreaterThan(0);
    await client.call('setRouting', { routing: include });
    expect(await whileChanged([include, everything, include])).toBe(0);
    expect(await whileChanged([pac])).toBeGreaterThan(0);
    process.kill(sender.pid, 'SIGKILL');
    await sender.finish();
    await client.call('disconnect', {});
    await proxyGone(net);
  },
);

test(
  'what others take away is put back',
  async () => {
    await connect(include);
    const member = await startInGroup();
    const { user: machine } = net.lab;
    const group = await controlGroup();
    const look = async () => ({
      rules: (await machine.run(words('ip rule'))).split('\n').length,
      filter: (await machine.run(words('nft list ruleset'))).split('\n').length,
      programs: hookNames.filter((hook) => attachedPrograms(group, hook).length === 1).length,
    });
    const whole = await look();
    const losses = [
      () => machine.run(words('nft flush ruleset')),
      () => machine.run(words('ip rule del priority 5174')),
      async () => detachProgram(group, 'created'),
      async () => hookNames.forEach((hook) => detachProgram(group, hook)),
    ];
    for (const [index, lose] of losses.entries()) {
      await lose();
      const isWhole = async () => isDeepStrictEqual(await look(), whole) || undefined;
      await eventually(`loss ${index} is put back`, isWhole).catch(() => undefined);
      expect({ ...(await look()), state: client.states.at(-1)?.state }).toEqual({
        ...whole,
        state: 'connected',
      });
    }
    expect(await seenBy('group', echoes)).toEqual(tunnelled);
    expect(await seenBy('outside', echoes)).toEqual(past);
    await member.finish();
  },
  waitLimit(60_000),
);

describe('a process', () => {
  /** Its child has a connection, and asks again when it is told to. */
  const talker = `bash -c 'exec 3<>/dev/tcp/${echo.ipv4}/${ports.echo}; echo open; read -r line; echo hello >&3; read -r -t 5 answer <&3; echo "[$answer]"; ${curl} ${url(echo.ipv4)}'; :`;

  test(
    'that is moved has its connections ended, with its children, and goes the new way; and back',
    async () => {
      await connect(include);
      const moved = await startAs(net.lab.user, uid, talker);
      const other = await startAs(net.lab.user, uid, talker);
      for (const one of [moved, other]) {
        one.say();
        expect(await one.next()).toBe('open');
      }
      expect(await client.call('moveProcess', { pid: moved.pid, into: 'group' })).toEqual({
        moved: 2,
        ended: 1,
      });
      expect(await client.call('moveProcess', { pid: moved.pid, into: 'group' })).toEqual({
        moved: 0,
        ended: 0,
      });
      const answers = [await moved.finish(), await other.finish()].map(({ stdout }) => stdout.split('\n'));
      expect(answers.map(([answer, reply = '']) => [answer, addressIn(reply)])).toEqual([
        ['[]', gateway.ipv4],
        ['[hello]', user.ipv4],
      ]);

      const back = await startInGroup(talker);
      back.say();
      expect(await back.next()).toBe('open');
      expect(await client.call('moveProcess', { pid: back.pid, into: 'outside' })).toEqual({
        moved: 2,
        ended: 1,
      });
      const { stdout } = await back.finish();
      expect(addressIn(stdout.split('\n')[1] ?? '')).toBe(user.ipv4);
    },
    waitLimit(60_000),
  );

  test('of somebody else is not moved, nor while the connection is another’s', async () => {
    const [own, others, roots] = [
      await startAs(net.lab.user, uid, ''),
      await startAs(net.lab.user, secondUser.uid, ''),
      await startAs(net.lab.user, 0, ''),
    ];
    const second = await attachAs(net, secondUser.uid);
    const refused = { code: helperError.noSuchProcess };
    for (const pid of [1, 2, net.pid(), others.pid, roots.pid, 0x3fffffff])
      await expect(client.call('moveProcess', { pid, into: 'group' })).rejects.toMatchObject(refused);
    await expect(second.call('moveProcess', { pid: own.pid, into: 'group' })).rejects.toMatchObject(refused);
    expect(await second.call('moveProcess', { pid: others.pid, into: 'group' })).toMatchObject({ moved: 1 });
    await connect(include);
    await expect(second.call('moveProcess', { pid: others.pid, into: 'outside' })).rejects.toMatchObject({
      code: helperError.notOwner,
    });
    for (const one of [own, others, roots]) await one.finish();
    // Another user's group is nobody's who is connected.
    const theirs = await startAs(net.lab.user, secondUser.uid, `${curl} ${url(echo.ipv4)}`);
    await client.call('disconnect', {});
    await second.call('moveProcess', { pid: theirs.pid, into: 'group' });
    await connect(include);
    expect(addressIn((await theirs.finish()).stdout)).toBe(user.ipv4);
  });
});

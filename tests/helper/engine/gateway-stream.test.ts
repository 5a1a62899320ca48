import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { helperError, maxOtherAddresses } from '#shared/helper/protocol.ts';
import { addresses, names, ports } from '../../lab/network/addresses.ts';
import { isHardwareTold } from '../../lab/network/hardware-address.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { setKernel } from '../../lab/network/network.ts';
import { attachAs, asUser } from '../support/callers/attach-as.ts';
import { createHelperLab, type HelperLab } from '../support/helper-lab.ts';
import { helloParams, openRaw, type RawClient } from '../support/callers/raw-client.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

/** A user who may use the helper, of a number that no account has (Debian policy §9.2.2). */
const uid = 64_950;

let net: HelperLab;

beforeAll(async () => {
  net = await createHelperLab();
  const strict = ['all', 'default', 'uplink'].map((name) => `net.ipv4.conf.${name}.rp_filter=1`);
  await setKernel(net.lab.user, strict);
  // The laboratory's ocserv listens on IPv4 only.
  const { ipv4, ipv6 } = addresses.gateway;
  const relay = `
    const { connect, createServer } = require('node:net');
    createServer((client) => {
      const upstream = connect(${ports.gateway}, '${ipv4}');
      for (const socket of [client, upstream]) socket.on('error', () => {});
      client.pipe(upstream).pipe(client);
    }).listen(${ports.gateway}, '${ipv6}', () => console.log('relaying'));`;
  await net.lab.gatewayMachine.spawnUntil([process.execPath, '-e', relay], /relaying/);
  await net.start({ args: ['--allow-user', String(uid)] });
});

afterEach(async () => {
  const client = await net.attach();
  await client.call('disconnect', {});
  net.letClientsGo();
});

afterAll(async () => {
  await net[Symbol.asyncDispose]();
});

/** A client of root's that has said hello, and its answer to the call that opens the stream. */
async function openStream(address?: string): Promise<{ client: RawClient; answer: unknown }> {
  const client = await openRaw(net.socket);
  await client.request('hello', helloParams);
  return {
    client,
    answer: await client.request('openGatewayStream', address === undefined ? {} : { address }),
  };
}

const opened = { result: null };
const wrongState = { error: { code: helperError.wrongState } };

// Over IPv4, the next test but one has seen it.
test.each(casesOf<'ipv6'>({ usual: [], all: ['ipv6'] }))(
  'while everything else is blocked, a sign-in goes through the helper (%s, strict rp_filter)',
  async (family) => {
    const client = await net.attach();
    const address = addresses.gateway[family];
    await client.call('connect', net.request({ killSwitch: true, address }));
    const capture = await net.lab.capture(`tcp and dst host ${address} and dst port ${ports.gateway}`);
    expect(await isHardwareTold(net.lab, addresses.user.ipv4), 'the router’s ARP').toBe(true);
    const session = await net.signIn(net.lab.gateway, { address });
    expect((await capture.stop()).length).toBeGreaterThan(5);
    await client.call('provideSession', { session });
    await client.until('connected');
    expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
  },
);

if (isExhaustive)
  test('a sign-in and an engine get past a network that silently loses packets of more than 1,300 bytes', async () => {
    const max = 1_300;
    const { internet } = net.lab;
    const lose = `add rule inet narrow forward iifname user0 meta length > ${max} drop`;
    const chain = 'add chain inet narrow forward { type filter hook forward priority 0; }';
    await internet.run(['nft', `add table inet narrow; ${chain}; ${lose}`]);
    onTestFinished(async () => {
      await internet.run(['nft', 'delete table inet narrow']);
    });
    const client = await net.attach();
    await client.call('connect', net.request({ killSwitch: true }));
    const capture = await net.lab.capture(`tcp and dst port ${ports.gateway} and greater ${max}`);
    // On a machine that is slow enough, an earlier sign-in has already found that only small messages are answered.
    const session = await net.signIn(net.lab.gateway, { knowsPath: false });
    // The post-quantum share was tried, once.
    expect((await capture.stop()).length).toBeGreaterThan(0);
    const next = await net.lab.capture(`tcp and dst port ${ports.gateway} and greater ${max}`);
    await net.signIn();
    await client.call('provideSession', { session });
    await client.until('connected');
    const larger = await next.stop();
    // Our own engine is a new process, and tries for itself.
    if (net.engine === 'openconnect') expect(larger).toEqual([]);
    expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
  });

/** What a program of this user sends to the gateway's address and port, and what became of it. */
async function talkToGateway(marker: string, who: number): Promise<string> {
  const script = `exec 3<>/dev/tcp/${addresses.gateway.ipv4}/${ports.gateway} && echo ${marker} >&3 && echo sent`;
  const { stdout, stderr } = await net.lab.user.exec(['setpriv', ...asUser(who), 'bash', '-c', script]);
  return stdout + stderr;
}

/** Whether a program of the owner's, and one of root's, got anything to the gateway's port while this was so. */
async function leaves(marker: string): Promise<boolean> {
  const capture = await net.lab.capture(`tcp and dst port ${ports.gateway}`);
  const outcomes = [await talkToGateway(marker, uid), await talkToGateway(marker, 0)];
  const leaks = findLeaks(await capture.stop(), marker);
  const isSent = outcomes.every((text) => text.includes('sent'));
  expect(isSent || outcomes.every((text) => text.includes('Connection refused'))).toBe(true);
  expect(leaks.length > 0).toBe(isSent);
  return isSent;
}

test('no program reaches the gateway’s port past the tunnel, neither while signing in nor when connected', async () => {
  expect(await leaves('before')).toBe(true);
  const session = await net.signIn();
  const client = await attachAs(net, uid);
  await client.call('connect', net.request({ killSwitch: true }));
  expect(await leaves('signing-in')).toBe(false);
  await client.call('provideSession', { session });
  await client.until('connected');
  // The way there is outside the tunnel, so that nothing gets to it inside either.
  expect(await leaves('connected')).toBe(false);
  await client.call('disconnect', {});
  expect(await leaves('after')).toBe(true);
});

test('while everything else is blocked, a sign-in goes through the helper, as long as a session is waited for', async () => {
  const early = await openStream();
  expect(early.answer).toMatchObject(wrongState);
  const client = await net.attach();
  await client.call('connect', net.request({ killSwitch: true }));
  const { client: raw, answer } = await openStream();
  expect(answer).toMatchObject(opened);
  raw.socket.removeAllListeners('data');
  const secured = connectTls({ socket: raw.socket, servername: names.gateway, rejectUnauthorized: false });
  await once(secured, 'secureConnect');
  // It is the gateway's own certificate, whatever the helper is.
  expect(secured.getPeerX509Certificate()?.checkHost(names.gateway)).toBe(names.gateway);
  const idle = await openStream();
  expect(idle.answer).toMatchObject(opened);

  const { ipv4 } = addresses.gateway;
  const capture = await net.lab.capture(`tcp and dst host ${ipv4} and dst port ${ports.gateway}`);
  expect(await isHardwareTold(net.lab, addresses.user.ipv4), 'the router’s ARP').toBe(true);
  const session = await net.signIn();
  expect((await capture.stop()).length).toBeGreaterThan(5);
  await client.call('provideSession', { session });
  await client.until('connected');
  await Promise.all([raw.closed, idle.client.closed]);
  expect((await openStream()).answer).toMatchObject(wrongState);
  expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: ipv4 });
});

// At each address, the first message of TLS may be in vain, and a second connection is then made beside the first.
const most = 2 * (1 + maxOtherAddresses);
test('there are enough for two at each address that a gateway can have, no more, and one that closes makes room', async () => {
  const client = await net.attach();
  await client.call('connect', net.request());
  const streams: Awaited<ReturnType<typeof openStream>>[] = [];
  while (streams.length < most) streams.push(await openStream());
  for (const { answer } of streams) expect(answer).toMatchObject(opened);
  expect((await openStream()).answer).toMatchObject(wrongState);
  streams[0]?.client.socket.destroy();
  const another = async () => {
    const { client: raw, answer } = await openStream();
    // A user has only so many connections.
    raw.socket.destroy();
    return answer;
  };
  await expect.poll(another).toMatchObject(opened);
  await client.call('disconnect', {});
  await Promise.all(streams.map(({ client: raw }) => raw.closed));
});

if (isExhaustive)
  test('what is no TLS does no harm, and a client that breaks off ends the gateway’s connection', async () => {
    const client = await net.attach();
    await client.call('connect', net.request());
    const { client: raw } = await openStream();
    raw.send('Content-Length: 5\r\n\r\nhello'.repeat(1000));
    await raw.closed;
    const { client: other } = await openStream();
    other.socket.destroy();
    await expect
      .poll(() => net.lab.user.run(['ss', '-Htn', 'state', 'established', 'dst', addresses.gateway.ipv4]))
      .toBe('');
    expect(client.states.at(-1)).toMatchObject({ phase: 'authenticating' });
  });

test('what keeps the gateway out of reach is told with its name, and logged', async () => {
  const client = await net.attach();
  await net.lab.gateway.stop();
  onTestFinished(() => net.lab.gateway.start());
  const told = async () => (await openStream()).answer;
  const failed = (code: string) => ({ error: { code: helperError.gatewayNotReached, data: { code } } });
  await client.call('connect', net.request({ killSwitch: true }));
  expect(await told()).toMatchObject(failed('ECONNREFUSED'));
  await expect.poll(() => net.log()).toContain('ECONNREFUSED');
  // The app tells its own log, and its user, the same.
  await expect(net.signIn()).rejects.toThrow('ECONNREFUSED');
  await net.lab.user.run(['ip', 'route', 'add', 'unreachable', addresses.gateway.ipv4]);
  onTestFinished(async () => {
    await net.lab.user.run(['ip', 'route', 'del', 'unreachable', addresses.gateway.ipv4]);
  });
  expect(await told()).toMatchObject(failed('EHOSTUNREACH'));
});

test('a gateway’s stream leads to the addresses at which the gateway may be, and to no others', async () => {
  const { ipv4, ipv6 } = addresses.gateway;
  const client = await net.attach();
  await client.call('connect', net.request({ killSwitch: true, address: ipv4, otherAddresses: [ipv6] }));
  const capture = await net.lab.capture('tcp');
  for (const address of [ipv4, ipv6]) expect((await openStream(address)).answer).toMatchObject(opened);
  expect((await openStream(addresses.echo.ipv4)).answer).toMatchObject(wrongState);
  const asked = (await capture.stop()).filter(
    ({ isSyn, destination }) => isSyn && destination !== addresses.user.ipv4,
  );
  expect(
    [...new Set(asked.map(({ destination }) => destination))]
      .filter((one) => one !== addresses.user.ipv6)
      .toSorted(),
  ).toEqual([ipv4, ipv6].toSorted());
  const session = await net.signIn();
  await expect(
    client.call('provideSession', { session, address: addresses.echo.ipv4 }),
  ).rejects.toMatchObject({
    code: helperError.wrongState,
  });
  await client.call('provideSession', { session, address: ipv6 });
  await client.until('connected');
  const sockets = await net.lab.user.run([
    'ss',
    '-Hnt',
    'state',
    'established',
    'dport',
    '=',
    `:${ports.gateway}`,
  ]);
  expect(sockets).toContain(`[${ipv6}]:${ports.gateway}`);
});

test('a gateway’s stream is for the owner only', async () => {
  const root = await net.attach();
  await root.call('connect', net.request());
  const other = await attachAs(net, uid);
  await expect(other.call('openGatewayStream', {})).rejects.toMatchObject({ code: helperError.notOwner });
});

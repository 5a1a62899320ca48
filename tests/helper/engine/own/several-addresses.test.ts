import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ConnectRequest } from '#shared/helper/protocol.ts';
import { addresses } from '../../../lab/network/addresses.ts';
import { certificatePin } from '#node/anyconnect/certificate-pin.ts';
import type { Gateway } from '../../../lab/gateway/gateway.ts';
import { endProcess, eventually, words } from '../../../lab/runs/process.ts';
import { programFile } from '../../../lab/runs/programs.ts';
import { silenceLimit, waitLimit } from '../../../lab/runs/wait-limit.ts';
import { hold, isAnsweredInTime, turnsBeforeDatagrams } from '../../support/held-connections.ts';
import { createHelperLab, type HelperLab } from '../../support/helper-lab.ts';
import type { TestClient } from '../../support/callers/test-client.ts';
import type { ConnectProcessOptions } from '../../support/sign-in/connect-process.ts';

/** The engine chooses among several addresses of the gateway by which answers first. */

let net: HelperLab;
let client: TestClient;

const { ipv4, ipv6 } = addresses.gateway;

beforeAll(async () => {
  net = await createHelperLab({ engine: 'own', gatewayFamilies: 'dual-stack' });
  await net.start();
  client = await net.attach();
});

afterEach(async () => {
  await client.call('disconnect', {});
  await passAll();
  net.forgetLog();
});

afterAll(() => net[Symbol.asyncDispose]());

async function connect(changes: Partial<ConnectRequest>): Promise<void> {
  const seen = client.states.length;
  const session = changes.session ?? (await net.signIn());
  await client.call('connect', net.request({ ...changes, session }));
  await client.until('connected', { seen, where: ({ transport }) => transport === 'dtls' });
}

/** Connects by IPv6, which wins as soon as the gateway is not too busy to answer there in time. */
async function connectByIpv6(): Promise<void> {
  await eventually('the gateway answers in time', async () => {
    await connect({ address: ipv6, otherAddresses: [ipv4] });
    const found = await inUse();
    if (found.includes(ipv6)) {
      expect(found).toEqual([ipv6]);
      return true;
    }
    await client.call('disconnect', {});
    net.forgetLog();
    return undefined;
  });
}

/** Drops what comes to the gateway over IPv6 on the way, without a word. */
const swallow = (what = '') =>
  net.lab.internet.run(['nft', '-f', '-'], {
    input: `table inet hole { chain forward { type filter hook forward priority 0; ip6 daddr ${ipv6} ${what} drop; }; }`,
  });
const passAll = () => net.lab.internet.exec(['nft', 'delete', 'table', 'inet', 'hole']);

async function inUse(): Promise<string[]> {
  const sockets = await net.lab.user.run(words('ss -Hnt state established dport = :443'));
  return [ipv4, ipv6].filter((one) => sockets.includes(`${one}:443`) || sockets.includes(`[${one}]:443`));
}

const pinOf = async ({ certificate }: Gateway) =>
  certificatePin(new X509Certificate(await readFile(certificate.certificate)));

const enginesEnded = () => net.log().split('the engine ended').length - 1;

test('an address that is silent costs no attempt, and gets nothing but the first packet', async () => {
  await swallow();
  const capture = await net.lab.capture(`host ${ipv6} or host ${ipv4}`);
  await connect({ address: ipv6, otherAddresses: [ipv4] });
  expect(await inUse()).toEqual([ipv4]);
  expect(enginesEnded()).toBe(0);
  const toOther = (await capture.stop()).filter(({ destination }) => destination === ipv6);
  expect(toOther.length).toBeGreaterThan(0);
  expect(toOther.filter(({ payload, isSyn }) => !isSyn || payload.length > 0)).toEqual([]);
  expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: ipv4 });
});

test('an address that answers in time is the only one that is asked', async () => {
  const capture = await net.lab.capture(`dst host ${ipv4} and tcp`);
  await eventually('the first address answers in time', async () => {
    const session = await net.signIn();
    await capture.packets();
    await connect({ address: ipv6, otherAddresses: [ipv4], session });
    // The sign-in's own connection may still be ending.
    const asked = (await capture.packets()).filter(({ isSyn }) => isSyn);
    if (asked.length === 0) return true;
    // A gateway that is too busy has not.
    await client.call('disconnect', {});
    return undefined;
  });
  expect(await inUse()).toEqual([ipv6]);
  await capture.stop();
});

test('an address that dies under the tunnel is left at the first attempt', async () => {
  await connectByIpv6();
  const seen = client.states.length;
  await swallow();
  await eventually('the engine has lost it', async () => enginesEnded() > 0 || undefined, {
    timeout: 60_000,
  });
  await client.until('connected', {
    seen,
    after: 'connecting',
    where: ({ transport }) => transport === 'dtls',
    limitMs: 40_000,
  });
  expect(await inUse()).toEqual([ipv4]);
  expect(enginesEnded()).toBe(1);
});

test('new keys come from another one where the first is silent, without an end of the tunnel', async () => {
  await net.lab.gateway.restart({ rekey: { seconds: 20, method: 'new-tunnel' } });
  await connectByIpv6();
  const seen = client.states.length;
  await swallow('tcp flags & (syn | ack) == syn');
  await eventually('there are new keys', async () => net.log().includes('new keys') || undefined, {
    timeout: 60_000,
  });
  await eventually('IPv4 carries it', async () => (await inUse()).includes(ipv4) || undefined);
  expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: ipv4 });
  expect(client.states.slice(seen).filter(({ state }) => state !== 'connected')).toEqual([]);
  expect(enginesEnded()).toBe(0);
  await net.lab.gateway.restart({ rekey: undefined });
});

test('after the click, the sign-in finds the one that answers, and the tunnel begins there', async () => {
  await swallow();
  const { gateway } = net.lab;
  const options: ConnectProcessOptions = {
    socket: net.socket,
    server: `anyconnect://${gateway.name}:${gateway.port}`,
    credentials: { username: net.username, password: 'token' },
    killSwitch: true,
    pins: { [gateway.name]: [await pinOf(gateway)] },
    gatewayAddresses: { [gateway.name]: ipv6 },
    gatewayLookUps: { [gateway.name]: [ipv6, ipv4] },
  };
  const seen = client.states.length;
  const capture = await net.lab.capture(`host ${ipv6}`);
  const app = await net.lab.user.spawnUntil(
    [
      process.execPath,
      programFile('tests/helper/support/sign-in/connect-process.ts'),
      JSON.stringify(options),
    ],
    /"state":"connected"/,
  );
  onTestFinished(() => endProcess(app, 'SIGKILL'));
  expect(await inUse()).toEqual([ipv4]);
  const toOther = (await capture.stop()).filter(({ destination }) => destination === ipv6);
  expect(toOther.length).toBeGreaterThan(0);
  // What the gateway still sends to connections of the tests before may be answered by a reset.
  const more = toOther.filter(({ payload, isSyn, isReset }) => !(isSyn || isReset) || payload.length > 0);
  expect(more).toEqual([]);
  // The engine's own was made while the gateway asked its questions.
  expect(net.log()).toContain('the connection that was held is used');
  // One connection was asked for, and one engine was enough.
  expect(client.states.slice(seen).map(({ state }) => state)).not.toContain('disconnecting');
  expect(enginesEnded()).toBe(0);
});

test('each address is open to the engine alone', async () => {
  const reached = async (limitMs: number) => {
    const limit = `timeout ${limitMs / 1_000}`;
    const tries = [ipv4, ipv6].map((host) =>
      net.lab.user.exec([...words(limit), 'bash', '-c', `exec 3<>/dev/tcp/${host}/443`]),
    );
    return (await Promise.all(tries)).map(({ code }) => code === 0);
  };
  expect(await reached(waitLimit(3_000))).toEqual([true, true]);
  await connect({ address: ipv4, otherAddresses: [ipv6] });
  expect(await reached(silenceLimit(3_000, 9_000))).toEqual([false, false]);
});

test('a connection that was held at the second address is used', async () => {
  await swallow();
  const packets = await eventually('the gateway answers in time', async () => {
    const session = await net.signIn();
    await hold(net, client, session, { address: ipv6, otherAddresses: [ipv4] });
    const capture = await net.lab.capture(`host ${ipv4}`);
    await connect({ address: ipv6, otherAddresses: [ipv4], session });
    const captured = await capture.stop();
    if (isAnsweredInTime(net)) return captured;
    await client.call('disconnect', {});
    net.forgetLog();
    return undefined;
  });
  expect(packets.filter(({ isSyn }) => isSyn)).toEqual([]);
  expect(turnsBeforeDatagrams(packets, ipv4)).toBe(1);
});

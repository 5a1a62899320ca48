import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { certificatePin } from '#node/anyconnect/certificate-pin.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import type { Gateway } from '../../lab/gateway/gateway.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { endProcess, eventually, outputOf } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import type { ConnectProcessOptions } from '../support/sign-in/connect-process.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

/** The gateway at which one signs in sends its clients to the laboratory's real one, as a member of a cluster. */
const net = helperLabForEach();
const credentials = { username: 'a2f1c7d0-device', password: 'token' };
const running: Awaited<ReturnType<typeof net.lab.user.spawnUntil>>[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((child) => endProcess(child, 'SIGKILL')));
});

const pinOf = async ({ certificate }: Gateway) =>
  certificatePin(new X509Certificate(await readFile(certificate.certificate)));
const redirecting = path.join(import.meta.dirname, '../support/sign-in/redirecting-gateway-process.ts');

/** Starts the gateway that redirects; `said` is what it was told. */
async function redirectTo(location: string) {
  const { address, port, certificate } = net.lab.untrustedGateway;
  const args = [address.ipv4, String(port), certificate.certificate, certificate.key, location];
  const child = await net.lab.gatewayMachine.spawnUntil(
    [process.execPath, redirecting, ...args],
    /listening/,
  );
  running.push(child);
  return { said: () => outputOf(child) };
}

/** Connects as the app does, by the gateway that redirects. */
async function connect(options: Partial<ConnectProcessOptions> = {}) {
  const { gateway, untrustedGateway } = net.lab;
  const all: ConnectProcessOptions = {
    socket: net.socket,
    server: `anyconnect://${untrustedGateway.name}:${untrustedGateway.port}`,
    credentials,
    killSwitch: false,
    pins: {
      [gateway.name]: [await pinOf(gateway)],
      [untrustedGateway.name]: [await pinOf(untrustedGateway)],
    },
    ...options,
    // Looked up while the user looked at the server list.
    gatewayAddresses: {
      [untrustedGateway.name]: addresses.untrustedGateway.ipv4,
      ...options.gatewayAddresses,
    },
  };
  const child = await net.lab.user.spawnUntil(
    [process.execPath, programFile('tests/helper/support/sign-in/connect-process.ts'), JSON.stringify(all)],
    /"state":"connecting"/,
  );
  running.push(child);
  /** Since it has begun to connect. */
  const states = () => {
    const told = outputOf(child)
      .split('\n')
      .filter((line) => line.startsWith('{"state"') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as TunnelState);
    return told.slice(told.findIndex(({ state }) => state === 'connecting'));
  };
  return async (wanted: TunnelState['state']) =>
    await eventually(`the app says ${wanted}`, () => states().find(({ state }) => state === wanted));
}

const entry = { host: names.untrustedGateway, port: 443 };
const member = `https://${names.gateway}/`;

if (isExhaustive)
  test('without the kill switch, too, the tunnel goes to the gateway that it was sent to', async () => {
    await redirectTo(member);
    const until = await connect();
    expect(await until('connected')).toMatchObject({ gateway: entry });
    expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  });

test('the way to the gateway that it was sent to is opened, and the first one learns no secret', async () => {
  const { said } = await redirectTo(member);
  expect(await net.lab.user.seenFrom(), 'the probe is seen when it may pass').toBe(addresses.user.ipv4);
  const until = await connect({
    killSwitch: true,
    gatewayAddresses: { [names.gateway]: addresses.gateway.ipv4 },
  });
  // That it connects is said as soon as it is asked to, while the filter is still being made.
  await eventually(
    'traffic is filtered',
    async () => (await net.lab.user.run(['nft', 'list', 'tables'])).includes('inet waymaker') || undefined,
  );
  const capture = await net.lab.capture();
  const probing = net.lab.user.probe.http4('blocked-or-inside');
  expect(await until('connected')).toMatchObject({ gateway: entry });
  expect((await probing)?.address).not.toBe(addresses.user.ipv4);
  expect(findLeaks(await capture.stop(), 'blocked-or-inside')).toEqual([]);
  expect(await net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  expect((await net.attach()).states.at(-1)).toMatchObject({
    state: 'connected',
    gateway: { host: names.gateway, port: 443 },
  });
  expect(said()).toContain('init');
  expect(said()).not.toContain(credentials.password);
});

describe('nobody is led astray', () => {
  const all = [
    ['to this machine', 'https://localhost/', 'sign-in-refused'],
    ['to plain HTTP', `http://${names.gateway}/`, 'sign-in-refused'],
    ['without an end', `https://${names.untrustedGateway}:443/again`, 'sign-in-refused'],
    ['to where nothing listens', `https://${names.direct}:443/`, 'gateway-refuses-connections'],
  ] as const;
  test.each(casesOf<(typeof all)[number]>({ usual: all.slice(0, 1), all }))(
    '%s',
    async (_how, location, reason) => {
      const { said } = await redirectTo(location);
      const until = await connect();
      expect(await until('disconnected')).toMatchObject({ reason });
      expect(said()).not.toContain(credentials.password);
      expect(await net.lab.user.seenFrom()).toBe(addresses.user.ipv4);
    },
  );

  test('to a name whose certificate is another’s', async () => {
    await redirectTo(member);
    const before = await net.lab.gateway.log();
    const pins = { [net.lab.untrustedGateway.name]: [await pinOf(net.lab.untrustedGateway)] };
    const until = await connect({ pins });
    expect(await until('disconnected')).toMatchObject({ reason: 'gateway-certificate-refused' });
    expect((await net.lab.gateway.log()).slice(before.length)).not.toContain(credentials.username);
  });
});

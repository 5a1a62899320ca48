import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { createSay } from '#shared/texts/say.ts';
import { isAlwaysOutside } from '../../../../src/main/cli/doctor/always-outside.ts';
import { checkEngine } from '../../../../src/main/cli/doctor/engine-check.ts';
import { checkExperience } from '../../../../src/main/cli/doctor/experience.ts';
import { checkWayOut } from '../../../../src/main/cli/doctor/way-out-check.ts';
import { checkService } from '../../../../src/main/cli/doctor/remote-services.ts';
import { createTestAuthority } from '../support/test-authority.ts';

/** A service whose clock is off by so much, in milliseconds. */
async function serviceWithClock(offMs: number): Promise<string> {
  const server = createServer((_, reply) => {
    reply.setHeader('date', new Date(Date.now() + offMs).toUTCString());
    reply.end('{}');
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const clockOf = async (apiUrl: string) =>
  (await checkService(apiUrl, createSay('en', 'linux'))).find(({ check }) => check === 'clock');

test('the doctor says by how much the clock is off, once certificates may fail by it', async () => {
  expect(await clockOf(await serviceWithClock(30_000))).toEqual({ check: 'clock', outcome: 'ok' });
  for (const off of [7 * 60_000, -7 * 60_000])
    expect(await clockOf(await serviceWithClock(off))).toMatchObject({
      outcome: 'problem',
      text: expect.stringContaining('7 minutes'),
    });
});

test('the doctor does not judge the clock by a service that does not answer', async () => {
  const url = await serviceWithClock(0);
  expect(await clockOf(url.replace(/\d+$/, '9'))).toEqual({ check: 'clock', outcome: 'unknown' });
});

test('the doctor tells a service whose certificate is refused from one that does not answer', async () => {
  const authority = await createTestAuthority();
  const said = async (dates: { expired?: boolean; early?: boolean } = {}) => {
    const { certificate: cert, key } = await authority.issue({ ips: ['127.0.0.1'], ...dates });
    const server = createSecureServer({ cert, key }, (_, reply) => void reply.end('{}'));
    server.on('tlsClientError', () => undefined).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return (await checkService(url, createSay('en', 'linux'))).find(({ check }) => check === 'service');
  };
  expect(await said()).toMatchObject({ outcome: 'problem', text: expect.stringContaining('not trust') });
  const before = tls.getCACertificates('default');
  onTestFinished(() => tls.setDefaultCACertificates(before));
  tls.setDefaultCACertificates([...before, authority.certificate]);
  expect(await said()).toEqual({ check: 'service', outcome: 'ok' });
  for (const dates of [{ expired: true }, { early: true }])
    expect(await said(dates)).toMatchObject({
      outcome: 'problem',
      text: expect.stringContaining('date and time'),
    });
});

test('the doctor says which engines carry tunnels, or that there is none', () => {
  const said = (...engines: ('own' | 'openconnect')[]) => checkEngine(engines, createSay('en', 'linux'));
  expect(said('own', 'openconnect')).toMatchObject({
    outcome: 'ok',
    text: expect.stringContaining('or openconnect'),
  });
  expect(said('own')).toMatchObject({ outcome: 'ok', text: expect.stringContaining('not installed') });
  expect(said('openconnect')).toMatchObject({ outcome: 'ok', text: 'openconnect' });
  expect(said()).toMatchObject({ outcome: 'problem', text: expect.stringContaining('sudo apt install') });
  expect(checkEngine(undefined, createSay('en', 'linux'))).toEqual({ check: 'engine', outcome: 'unknown' });
});

test('the doctor says by which proxy this computer gets out and why, and if that wants a password', () => {
  const say = createSay('en', 'linux');
  const proxy = { protocol: 'https', host: '2001:db8::1', port: 8443, isRefused: false } as const;
  const said = (way: Partial<Parameters<typeof checkWayOut>[0]>) =>
    checkWayOut({ kind: 'direct', hasScript: false, proxy: null, ...way }, say);
  expect(said({})).toMatchObject({ outcome: 'ok', text: 'Directly' });
  expect(said({ kind: 'proxy', proxy }).text).toBe('Through the proxy https://[2001:db8::1]:8443');
  expect(said({ kind: 'script', hasScript: true, proxy }).text).toMatch(/proxy .* \(according to the script/);
  expect(said({ kind: 'discovery', hasScript: true }).text).toMatch(/^Directly \(.*this network names/);
  expect(said({ kind: 'discovery' }).text).toMatch(/names none/);
  expect(said({ kind: 'proxy', proxy: { ...proxy, isRefused: true } })).toMatchObject({
    outcome: 'problem',
    text: expect.stringContaining('waymaker connect'),
  });
});

test('the doctor takes neighbours for outside at any private address, and others with access to the local network', () => {
  const isOutside = (address: string, { isOnLink = true, localNetwork = false } = {}) =>
    isAlwaysOutside({ address, isThisMachine: false, isOnLink }, { localNetwork });
  const near = ['10.5.0.2', '172.31.0.2', '192.168.7.2', '100.64.0.2', '169.254.7.7', 'fd00::2', 'fe80::2'];
  expect(near.filter((address) => !isOutside(address))).toEqual([]);
  expect(near.filter((address) => isOutside(address, { isOnLink: false }))).toEqual([]);
  expect(isOutside('203.0.113.5')).toBe(false);
  expect(isOutside('203.0.113.5', { localNetwork: true })).toBe(true);
});

test('the doctor says where this version’s protection has not run on a real machine, and what to do about that', () => {
  const said = (system: 'linux' | 'macos' | 'windows') => checkExperience(system, createSay('en', system));
  expect(said('linux')).toEqual([]);
  const [onMac, ...restOfMac] = said('macos');
  const [onWindows, ...restOfWindows] = said('windows');
  for (const found of [onMac, onWindows]) {
    expect(found).toMatchObject({ check: 'system', outcome: 'unknown' });
    expect(found?.text).toMatch(/not on a real computer.*waymaker self-test --report.*issue/);
  }
  expect(onMac?.text).not.toContain('wine');
  expect(onWindows?.text).toContain('under wine');
  expect([...restOfMac, ...restOfWindows]).toEqual([]);
});

import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ProxyCredentials, ProxyIdentity, ProxyProtocol } from '#shared/helper/gateway-session.ts';
import { certificatePin } from '#node/anyconnect/certificate-pin.ts';
import { addresses } from '../../lab/network/addresses.ts';
import { proxyPorts, startOnlyProxy } from '../../lab/network/web-proxy.ts';
import type { Lab } from '../../lab/lab.ts';
import { words } from '../../lab/runs/process.ts';
import { replaceEngine, createHelperLab } from '../support/helper-lab.ts';

const { ipv4 } = addresses.router;
const credentials: ProxyCredentials = { username: 'guest', password: 'secret' };

/** As the app has verified it. */
async function identityOfProxy({ directory }: Pick<Lab, 'directory'>): Promise<ProxyIdentity> {
  const certificate = new X509Certificate(await readFile(path.join(directory, `${ipv4}.crt`)));
  return { name: ipv4, certificatePin: certificatePin(certificate) };
}

describe('where a proxy is the only way out', () => {
  test.each<[ProxyProtocol, ProxyCredentials | undefined]>([
    ['http', undefined],
    ['http', credentials],
    ['https', credentials],
    ['socks5', credentials],
  ])(
    'a tunnel is made through a proxy that speaks %s and wants %o, which nobody else can reach',
    async (protocol, given) => {
      await using net = await createHelperLab({ engine: 'own' });
      const { user, gateway } = net.lab;
      const port = proxyPorts[protocol];
      await using ends = new AsyncDisposableStack();
      ends.use(await startOnlyProxy(net.lab, protocol, given));
      await net.start();
      const proxy = { protocol, port };
      const identity = protocol === 'https' ? await identityOfProxy(net.lab) : undefined;
      const session = await net.signIn(gateway, {
        proxy: { ...proxy, ...(given && { credentials: given }), ...(identity && { identity }) },
        address: ipv4,
      });
      // Nothing else gets out, and this does.
      const isOpen = async (address: string, at: number) => {
        const { code } = await user.exec(words(`nc -z -w 2 ${address} ${at}`));
        return code === 0;
      };
      // What others send is theirs: a server may still answer a connection of an earlier test.
      const own = `(src host ${addresses.user.ipv4} or src host ${addresses.user.ipv6})`;
      const others = `${own} and not (host ${ipv4} and tcp port ${port}) and not icmp6 and not igmp`;
      const control = await net.lab.capture(others);
      expect(await isOpen(gateway.address.ipv4, gateway.port)).toBe(false);
      expect((await control.stop()).length, 'positive control').toBeGreaterThan(0);
      expect(await isOpen(ipv4, port)).toBe(true);
      const capture = await net.lab.capture(others);
      const client = await net.attach();
      const request = net.request({ address: ipv4, proxy, killSwitch: true });
      await client.call('connect', {
        ...request,
        session: {
          ...session,
          ...(given && { proxyCredentials: given }),
          ...(identity && { proxyIdentity: identity }),
        },
      });
      await client.until('connected', { where: ({ transport }) => transport === 'tls' });
      expect(await user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
      expect(await isOpen(ipv4, port)).toBe(false);

      await replaceEngine(net, client);
      expect(await user.probe.http4('again')).toMatchObject({ address: addresses.gateway.ipv4 });
      expect(await capture.stop()).toEqual([]);
      // Nobody but the engine has the password.
      if (given) expect(net.log()).not.toContain(given.password);
      await client.call('disconnect', {});
      expect(await user.snapshot()).toBe(net.initialSnapshot);
    },
  );

  test('a proxy with another key than at the sign-in gets neither password nor tunnel', async () => {
    await using net = await createHelperLab({ engine: 'own' });
    await using ends = new AsyncDisposableStack();
    ends.use(await startOnlyProxy(net.lab, 'https', credentials));
    await net.start();
    const proxy = { protocol: 'https', port: proxyPorts.https } as const;
    const identity = await identityOfProxy(net.lab);
    const session = {
      ...(await net.signIn(net.lab.gateway, { proxy: { ...proxy, credentials, identity }, address: ipv4 })),
      proxyCredentials: credentials,
    };
    const client = await net.attach();
    const reasonWith = async (proxyIdentity?: ProxyIdentity) => {
      const seen = client.states.length;
      const request = net.request({ address: ipv4, proxy });
      await client.call('connect', {
        ...request,
        session: { ...session, ...(proxyIdentity && { proxyIdentity }) },
      });
      return (await client.until('disconnected', { seen })).reason;
    };
    const another = `pin-sha256:${'A'.repeat(43)}=`;
    expect(await reasonWith({ ...identity, certificatePin: another })).toBe('proxy-untrusted');
    expect(await reasonWith()).toBe('proxy-untrusted');
    await client.call('connect', {
      ...net.request({ address: ipv4, proxy }),
      session: { ...session, proxyIdentity: identity },
    });
    await client.until('connected');
  });

  test('the helper after one that was killed knows the proxy and signs in through it, with a password that only the app has kept', async () => {
    await using net = await createHelperLab({ engine: 'own' });
    await using ends = new AsyncDisposableStack();
    ends.use(await startOnlyProxy(net.lab, 'http', credentials));
    await net.start();
    const proxy = { protocol: 'http', port: proxyPorts.http } as const;
    const way = { proxy: { ...proxy, credentials }, address: ipv4 };
    const signIn = async () => ({
      ...(await net.signIn(net.lab.gateway, way)),
      proxyCredentials: credentials,
    });
    const first = await net.attach();
    const request = net.request({ address: ipv4, proxy, killSwitch: true });
    await first.call('connect', { ...request, session: await signIn() });
    await first.until('connected');
    await net.end('SIGKILL');
    expect(await readFile(path.join(net.stateDirectory, 'journal.json'), 'utf8')).not.toContain(
      credentials.password,
    );
    await net.start();
    const client = await net.attach();
    await client.until('connecting', { where: ({ phase }) => phase === 'authenticating' });
    // Traffic is blocked, so that this goes through the helper.
    await client.call('provideSession', { session: await signIn() });
    await client.until('connected');
    expect(await net.lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
    await client.call('disconnect', {});
    expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
  });

  test('the user reads that the proxy wants a password, or that it cannot reach the gateway', async () => {
    await using net = await createHelperLab({ engine: 'own' });
    await using ends = new AsyncDisposableStack();
    ends.use(await startOnlyProxy(net.lab, 'http', credentials));
    await net.start();
    const proxy = { protocol: 'http', port: proxyPorts.http } as const;
    const session = await net.signIn(net.lab.gateway, { proxy: { ...proxy, credentials }, address: ipv4 });
    const client = await net.attach();
    const connect = async (changes: object, proxyCredentials: ProxyCredentials) => {
      const seen = client.states.length;
      const request = net.request({ address: ipv4, proxy, ...changes });
      await client.call('connect', { ...request, session: { ...session, proxyCredentials } });
      const { reason } = await client.until('disconnected', { seen });
      return reason;
    };
    expect(await connect({}, { ...credentials, password: 'wrong' })).toBe('proxy-credentials');
    const nowhere = { host: net.lab.gateway.name, port: 9 };
    expect(await connect({ gateway: nowhere }, credentials)).toBe('proxy-refused');
  });
});

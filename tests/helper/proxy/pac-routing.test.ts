import { createHash, randomBytes } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Routing, RoutingProxy } from '#shared/tunnel/state.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import type { CapturedPacket } from '../../lab/packets/frame.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { execAsSecondUser } from '../../lab/machine/second-user.ts';
import { startSshServer } from '../../lab/machine/ssh-server.ts';
import { proxyGone } from '../support/helper-lab.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { proxyOf } from '../support/proxy/proxy-of.ts';
import { curlLimits } from '../../lab/probes/probe.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';

const net = helperLabForEach();

const everything: Routing = { mode: 'global', localNetwork: false };
const pac = {
  mode: 'pac' as const,
  routeDomains: [names.where as string],
  blockedDomains: ['ads.example'],
};

/** The address that an HTTP echo saw us come from and its own, or undefined if it cannot be reached. */
async function seen(url: string, options: { proxy?: string; user?: number } = {}) {
  const { proxy, user } = options;
  const { code, stdout } = await net.lab.user.exec([
    ...(user === undefined ? [] : ['setpriv', `--reuid=${user}`, '--clear-groups', '--']),
    ...words('curl --silent --globoff'),
    ...curlLimits(),
    ...(proxy === undefined ? ['--noproxy', '*'] : ['--proxy', proxy]),
    url,
  ]);
  return code === 0 ? (JSON.parse(stdout) as { address: string }).address : undefined;
}

/** As whom a laboratory's proxy runs (tests/lab/machine/machine.ts). */
const proxyUid = 64_901;

/** What remote services see of those who come through the tunnel. */
const throughTunnel = [addresses.gateway.ipv4, addresses.gateway.ipv6];

const socks = ({ address }: RoutingProxy) => `socks5h://${address}`;

describe('mode pac', () => {
  test('a tunnel names its lists, changes its way with its connections, and goes on with the next helper', async () => {
    const before = await net.lab.user.snapshot();
    const client = await net.attach();
    await expect(client.call('setRouting', { routing: pac })).rejects.toThrow(/no connection/);
    const { name: lists } = await client.call('storeLists', {
      lists: { mode: 'pac', routeDomains: [names.where], blockedDomains: ['ads.example', names.echo] },
    });
    const chosen: typeof pac = { mode: 'pac', routeDomains: [], blockedDomains: [] };
    await client.call('connect', net.request({ session: await net.signIn(), routing: chosen, lists }));
    await client.until('connected');
    const first = proxyOf(client);
    const journalled = async () =>
      (await readdir(net.stateDirectory)).filter((file) => file.startsWith('routing-'));
    const journal = await journalled();
    expect(journal).toHaveLength(1);
    expect(await seen(`http://${names.inside}/x`, { proxy: socks(first) })).toBeDefined();
    expect(await seen(`http://${names.echo}/x`, { proxy: socks(first) })).toBeUndefined();
    // Another setting alone.
    await client.call('setRouting', { routing: chosen, lists, killSwitch: true });
    expect(proxyOf(client)).toEqual(first);
    expect(await journalled()).toEqual(journal);

    const since = client.states.length;
    await client.call('setRouting', { routing: everything });
    const long = net.lab.user.spawn(['bash', '-c', streamScript], { stdio: ['ignore', 'pipe', 'ignore'] });
    const heard: string[] = [];
    long.stdout?.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
    const goesOn = async () => {
      const { length } = heard;
      await eventually('the connection goes on', async () => heard.length > length + 2 || undefined);
    };
    await goesOn();
    const own: typeof pac = { ...chosen, routeDomains: [names.echo, 'own.example'] };
    for (const routing of [own, everything, own]) {
      const isGlobal = routing.mode === 'global';
      await client.call('setRouting', { routing, ...(!isGlobal && { lists }) });
      const source = await seen(`http://${addresses.echo.ipv4}/x`);
      expect(source).toBe(isGlobal ? addresses.gateway.ipv4 : addresses.user.ipv4);
      const resolver = await net.lab.user.resolve(names.inside);
      expect(resolver).toEqual(isGlobal ? [addresses.inside.ipv4, addresses.inside.ipv6].sort() : []);
      await goesOn();
    }
    expect(client.states.slice(since).map(({ state }) => state)).toEqual(
      expect.not.arrayContaining(['connecting']),
    );
    long.kill('SIGKILL');
    const proxy = proxyOf(client);
    expect(await seen(`http://${names.echo}/x`, { proxy: socks(proxy) })).toBeOneOf(throughTunnel);
    expect(proxy.pacUrl).not.toBe(first.pacUrl);

    // A helper that takes its place has all of it, without the client.
    const pacFile = async () =>
      (await net.lab.user.exec(words(`curl --silent --fail ${proxy.pacUrl}`))).stdout;
    await net.end('SIGKILL');
    // Programs still learn that these names go to the proxy, which leads nowhere now, and so not outside.
    expect(await pacFile()).toContain('FindProxyForURL');
    expect(await seen(`http://${names.echo}/x`, { proxy: socks(proxy) })).toBeUndefined();
    await net.start();
    expect(await pacFile()).toContain('FindProxyForURL');
    const again = await net.attach();
    await again.until('connecting', { where: ({ phase }) => phase === 'authenticating' });
    await again.call('provideSession', { session: await net.signIn() });
    await again.until('connected');
    expect(proxyOf(again)).toEqual(proxy);
    expect(await seen(`http://${names.echo}/x`, { proxy: socks(proxy) })).toBeOneOf(throughTunnel);
    await again.call('disconnect', {});
    await proxyGone(net);
    expect(await net.lab.user.snapshot()).toBe(before);
  });

  if (isExhaustive)
    test('ssh goes through it, by SOCKS and by HTTP', async () => {
      const { user, internet, directory } = net.lab;
      const { clientOptions } = await startSshServer(internet, directory, {
        address: addresses.echo.ipv4,
        name: names.echo,
      });
      const client = await net.connect({ routing: pac });
      const [host, port] = proxyOf(client).address.split(':');
      const sent = randomBytes(300_000);
      const input = path.join(directory, 'sent-by-ssh');
      await writeFile(input, sent);
      /** Whose address the server saw, and the digest of what it got, which ends when the client has sent all of it. */
      const asSeen = async (...way: string[]) => {
        const command = ['ssh', ...clientOptions, ...way, names.echo, 'echo $SSH_CONNECTION; sha256sum'];
        const answer = await user.run(['sh', '-c', 'exec "$@" < "$0"', input, ...command]);
        return { source: answer.split(' ')[0], digest: /[0-9a-f]{64}/.exec(answer)?.[0] };
      };
      const through = (protocol: '5' | 'connect') => [
        '-o',
        `ProxyCommand=nc.openbsd -X ${protocol} -x ${host}:${port} %h %p`,
      ];
      const digest = createHash('sha256').update(sent).digest('hex');
      const { ipv4: source } = addresses.gateway;
      expect(await asSeen(...through('5'))).toEqual({ source, digest });
      expect(await asSeen(...through('connect'))).toEqual({ source, digest });
      expect(await asSeen()).toEqual({ source: addresses.user.ipv4, digest });
    });

  if (isExhaustive)
    test('no other user can listen where a helper and a proxy that were killed did', async () => {
      const client = await net.connect({ killSwitch: true, routing: pac });
      const port = Number(new URL(proxyOf(client).pacUrl).port);
      await net.end('SIGKILL');
      for (const pid of await net.proxies()) process.kill(pid, 'SIGKILL');
      await proxyGone(net);
      const asOther = async (where: number) =>
        (await execAsSecondUser(net.lab.user, ['perl', '-e', listenScript, `${where}`])).stdout;
      expect(await asOther(port)).toBe('Permission denied');
      // The positive control: it is the port that this user may not have.
      expect(await asOther(10_187)).toBe('listening');
    });

  if (isExhaustive)
    test('a helper that is killed takes its proxy along, and the next puts everything back', async () => {
      const before = await net.lab.user.snapshot();
      await net.connect({ routing: pac });
      await net.end('SIGKILL');
      await proxyGone(net);
      await net.start();
      expect(await net.lab.user.snapshot()).toBe(before);
    });

  if (isExhaustive)
    test('with the kill switch on, a connection that routes everything takes the place of the proxy', async () => {
      const client = await net.connect({ killSwitch: true, routing: pac });
      await client.call('connect', net.request({ session: await net.signIn(), routing: everything }));
      await client.until('connected', { where: ({ routing }) => routing.mode === 'global' });
      await proxyGone(net);
    });

  test.each(casesOf({ usual: [1], all: [0, 1] }))(
    'only what comes to the proxy goes through the tunnel (rp_filter=%i), and never leaves outside it',
    async (strict) => {
      const { user, internet, gatewayMachine } = net.lab;
      const server = await user.spawnUntil([process.execPath, '-e', serveScript], /serving/);
      for (const device of ['all', 'default', 'uplink']) {
        await user.run(['sysctl', '-qw', `net.ipv4.conf.${device}.rp_filter=${strict}`]);
      }
      const before = await user.snapshot();
      const [asked, askedInside] = [await internet.queries(), await gatewayMachine.queries()];
      const client = await net.connect({ routing: pac });
      const proxy = proxyOf(client);

      // The VPN's resolver names another machine than the public one.
      expect(await seen(`http://${names.inside}/x`, { proxy: socks(proxy) })).toMatch(
        /^(?:198\.51\.100\.1\d\d|2001:db8:2:100:.*)$/,
      );
      expect(await seen(`http://${names.echo}/x`, { proxy: socks(proxy) })).toBeOneOf(throughTunnel);
      expect(await seen(`http://${names.echo}/x`, { proxy: `http://${proxy.address}` })).toBeOneOf(
        throughTunnel,
      );
      expect(await seen(`http://${addresses.echo.ipv4}/x`)).toBe(addresses.user.ipv4);
      expect(await seen(`http://[${addresses.echo.ipv6}]/x`)).toBe(addresses.user.ipv6);
      expect(await user.resolve(names.where)).toEqual([addresses.direct.ipv4, addresses.direct.ipv6].sort());
      expect(await seen(`http://tracker.ads.example/x`, { proxy: socks(proxy) })).toBeUndefined();
      expect((await internet.queries()).slice(asked.length).map(({ name }) => name)).not.toContain(
        names.inside,
      );
      expect((await gatewayMachine.queries()).slice(askedInside.length).map(({ name }) => name)).toContain(
        names.inside,
      );

      const connected = client.states.at(-1);
      if (connected?.state !== 'connected') throw new Error('it is not connected');
      const tunnels = Object.values(connected.addresses).filter((address) => address !== undefined);
      const own = ['127.0.0.1', '::1', ...Object.values(addresses.user), ...tunnels];
      const reachedBy = async (uid: number) => {
        const asUid = ['setpriv', `--reuid=${uid}`, '--clear-groups', '--'];
        const { stdout } = await user.exec([...asUid, 'bash', '-c', reachScript, 'bash', ...own]);
        return stdout.split('\n').filter(Boolean);
      };
      // The proxy itself asks only now and then which addresses there are.
      expect(await reachedBy(proxyUid)).toEqual([]);
      expect(await reachedBy(65_534)).toEqual(own);
      server.kill();

      const stranger = 65_534;
      expect(await seen(`http://${addresses.echo.ipv4}/x`, { user: stranger })).toBe(addresses.user.ipv4);
      expect(await seen(`http://${names.echo}/x`, { proxy: socks(proxy), user: stranger })).toBeUndefined();
      expect(await seen(`http://${names.echo}/x`, { proxy: socks(proxy) })).toBeOneOf(throughTunnel);

      const [killed] = await net.proxies();
      process.kill(Number(killed), 'SIGKILL');
      const again = await eventually('the proxy is back', () =>
        seen(`http://${names.echo}/x`, { proxy: socks(proxy) }),
      );
      expect(again).toBeOneOf(throughTunnel);
      expect(await net.proxies()).not.toEqual([killed]);
      const pacFile = words('curl --silent --fail --noproxy *').concat(proxy.pacUrl);
      expect((await net.lab.user.exec(pacFile)).stdout).toContain('FindProxyForURL');

      // New lists have another address of their own, the proxy stays where it is.
      const first = proxyOf(client);
      await client.call('setRouting', { routing: { ...pac, routeDomains: ['other.example'] } });
      const second = proxyOf(client);
      expect(second.address).toBe(first.address);
      expect(second.pacUrl).not.toBe(first.pacUrl);
      await client.call('setRouting', { routing: pac });
      expect(proxyOf(client)).toEqual(first);

      const through = { proxy: socks(proxy) };
      const leaksOf = async (marker: string, during: (url: string) => Promise<unknown>) => {
        const capture = await net.lab.capture();
        await during(`http://${marker}.${names.probes}/${marker}`);
        return findLeaks(await capture.stop(), marker)
          .filter(({ packet }) => !endsConnection(packet))
          .map(({ kind }) => kind);
      };
      // The positive control: without the proxy both the name and the request are seen.
      expect(await leaksOf('control1', (url) => seen(url))).toEqual(
        expect.arrayContaining(['dns', 'cleartext', 'ipv6']),
      );
      expect(await leaksOf('through1', (url) => seen(url, through))).toEqual([]);
      // Nor to a private network that the machine is attached to, where a page's own name may lead.
      const neighbour = `http://${addresses.neighbour.ipv4}/x`;
      expect(await seen(neighbour)).toBe(addresses.userPrivate.ipv4);
      expect(await seen(neighbour, through)).toBeOneOf([undefined, ...throughTunnel]);
      await net.lab.gateway.kill();
      expect(await leaksOf('engineless1', (url) => seen(url, through))).toEqual([]);
      await client.call('disconnect', {});
      await proxyGone(net);
      expect(await user.snapshot()).toBe(before);
      expect(await leaksOf('proxyless1', (url) => seen(url, through))).toEqual([]);
    },
  );
});

const tcp = 6;
/**
 * A segment that acknowledges, ends or resets: of a connection from before, whose server ends it when it gets to that.
 * One that is made now begins otherwise.
 */
const endsConnection = ({ protocol, isSyn, payload }: CapturedPacket) =>
  protocol === tcp && !isSyn && payload.length === 0;

/** A connection that sends a byte every 50 ms and prints what the echo sends back. */
const streamScript = `exec 3<>/dev/tcp/${addresses.echo.ipv4}/7; cat <&3 & while sleep 0.05; do echo x >&3; done`;

const serveScript = `require('node:net').createServer().listen(3000, '::', () => console.log('serving'))`;

/** Prints those of its arguments on which that port can be reached. */
const reachScript = 'for host; do (exec 3<>"/dev/tcp/$host/3000") 2>/dev/null && echo "$host"; done; true';

/** Listens on a port of 127.0.0.1, and prints whether it could. */
const listenScript = `
  use IO::Socket::INET;
  print IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => $ARGV[0], Listen => 1) ? 'listening' : $!;`;

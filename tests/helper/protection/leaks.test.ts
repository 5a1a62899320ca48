import { expect, test } from 'vitest';
import { addresses, names, pools } from '../../lab/network/addresses.ts';
import { findLeaks } from '../../lab/packets/leaks.ts';
import { watchLeaks } from '../../lab/packets/watch-leaks.ts';
import { probeOnce } from '../../lab/probes/probe.ts';
import { eventually } from '../../lab/runs/process.ts';
import { replaceEngine } from '../support/helper-lab.ts';
import { helperLabForEach } from '../support/lab-for-each.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';

const net = helperLabForEach();

/** All that a busy machine sends. */
const watch = () => watchLeaks(net.lab, { send: (marker) => net.lab.user.probe.stream(marker, 5) });

/** The resolvers that programs are told. */
const nameservers = async () =>
  [...(await net.lab.user.run(['cat', '/etc/resolv.conf'])).matchAll(/^nameserver (.*)$/gm)].map(
    ([, one]) => one,
  );

/** The packets by which the machine asks for a name outside the tunnel, and gets what everybody gets. */
async function dnsOutside() {
  const capture = await net.lab.capture('port 53');
  expect(await net.lab.user.resolve(names.where)).toContain(addresses.direct.ipv4);
  return capture.stop();
}

const established = 'established';
/** What leaves, that is: the echo goes on sending again what it has no acknowledgement for. */
const captureOutgoing = () => net.lab.capture(`tcp and src host ${addresses.user.ipv4}`);

/** One long connection to the echo, which sends its marker again and again, until it is refused. */
async function connectToEcho() {
  const target = `/dev/tcp/${addresses.echo.ipv4}/7`;
  const script = `exec 3<>${target}; echo open; while echo ${established} >&3; do sleep 0.02; done; echo refused; sleep 60`;
  const talker = await net.lab.user.spawnUntil(['bash', '-c', script], /open/);
  const refused = new Promise<void>((resolve) => {
    talker.stdout?.on('data', (chunk: Buffer) => {
      if (chunk.includes('refused')) resolve();
    });
  });
  return { refused };
}

test('without the kill switch, nothing escapes either as long as there is a tunnel, and everything may once it has ended', async () => {
  const leaksWhile = await watch();
  const client = await net.attach();
  const session = await net.signIn();
  await client.call('connect', net.request({ session, killSwitch: false }));
  const leaks = await leaksWhile(async (marker) => {
    await client.until('connected');
    await replaceEngine(net, client);
    await probeOnce(net.lab.user, marker);
  });
  expect(leaks).toEqual([]);
  await client.call('disconnect', { reason: 'session-ended' });
  await watch();
});

test.each(casesOf({ usual: [{ killSwitch: true }], all: [{ killSwitch: true }, { killSwitch: false }] }))(
  'with %o, nothing escapes from the answer to connect on, whatever becomes of the tunnel',
  async ({ killSwitch }) => {
    const { user } = net.lab;
    const own = addresses.resolver.ipv4;
    const leaksWhile = await watch();
    expect(await dnsOutside(), 'positive control').not.toEqual([]);
    // Beforehand: while there is a tunnel nobody but its engine reaches the gateway.
    const next = await net.signIn();
    const client = await net.attach();
    const { refused } = await connectToEcho();
    await eventually('the connection is seen', async () => {
      const open = await captureOutgoing();
      await user.probe.udp4('tick');
      return findLeaks(await open.stop(), established).length > 0 || undefined;
    });
    await client.call('connect', net.request({ killSwitch }));
    const closed = await captureOutgoing();
    const onConnect = await leaksWhile(async () => {
      await probeOnce(net.lab.user);
      await client.call('provideSession', { session: await net.signIn() });
      await client.until('connected');
      await probeOnce(net.lab.user);
    });
    expect(onConnect, 'from the answer to connect until the tunnel is up, and while it is').toEqual([]);
    await refused;
    expect(findLeaks(await closed.stop(), established), 'connections from before').toEqual([]);

    let seen = client.states.length;
    const onAnother = await leaksWhile(async () => {
      await client.call('connect', net.request({ session: next, killSwitch, ownResolvers: [own] }));
      await client.until('connected', { seen, after: 'connecting' });
      await probeOnce(net.lab.user);
    });
    expect(onAnother, 'between one tunnel and the next').toEqual([]);
    // The gateway's own resolver would answer with another address.
    expect(await nameservers()).toEqual([own]);
    expect(await dnsOutside(), 'to the user’s own resolver').toEqual([]);

    const onReconnect = await leaksWhile(async () => {
      await replaceEngine(net, client);
      await probeOnce(net.lab.user);
    });
    expect(onReconnect, 'when its engine is replaced').toEqual([]);

    seen = client.states.length;
    const onRestart = await leaksWhile(async () => {
      await net.lab.gateway.restart({ pool: pools.second, ipv6: false });
      await client.until('connecting', { seen, where: ({ phase }) => phase === 'authenticating' });
      await probeOnce(net.lab.user);
      await client.call('provideSession', { session: await net.signIn() });
      await client.until('connected', { seen, after: 'connecting' });
      await probeOnce(net.lab.user);
    });
    expect(onRestart, 'while a gateway that was restarted waits for a new sign-in').toEqual([]);
    const { addresses: given } = await client.until('connected', { seen, after: 'connecting' });
    expect(given.ipv6).toBeUndefined();
    const device = await user.run(['ip', '-oneline', 'address', 'show', 'dev', 'wm0']);
    expect(device.match(/inet6? \S+/g), 'of the new pool alone').toEqual([`inet ${given.ipv4}/32`]);
    expect(await user.probe.http6('x')).toBeUndefined();
    expect(await user.probe.http4('x')).toMatchObject({ address: addresses.gateway.ipv4 });

    await client.call('disconnect', {});
    // Everything may leave again.
    await watch();

    // What no tunnel reaches is not asked, nor is the gateway's own in its place.
    const other = await net.connect({ ownResolvers: ['127.0.0.1', '::1', '224.0.0.1'] });
    expect(await other.until('connected')).toMatchObject({ problems: ['no-dns'] });
    expect(await nameservers()).not.toContain(addresses.inside.ipv4);
    await other.call('disconnect', {});
  },
);

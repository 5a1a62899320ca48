import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { proxyGone } from '../support/helper-lab.ts';
import {
  createInstalledMachine,
  unit,
  type InstalledMachine,
} from '../support/installed/installed-machine.ts';
import { whileUsed } from '../support/installed/while-used.ts';
import { proxyOf } from '../support/proxy/proxy-of.ts';

/** What the helper does under a systemd that forbids it all that its unit says, in every case. */

const pac: Routing = { mode: 'pac', routeDomains: [names.where], blockedDomains: [] };

let installed: InstalledMachine;

beforeAll(async () => {
  installed = await createInstalledMachine('resolved');
  await installed.helper();
});
afterAll(() => installed?.[Symbol.asyncDispose]());

test('the proxy of automatic routing works under the unit, too', async () => {
  const { net, machine } = installed;
  const client = await installed.connect({ routing: pac });
  const seenBy = async (...options: string[]) => {
    const answer = await machine.run(['curl', '--silent', ...options, `http://${addresses.echo.ipv4}/x`]);
    return (JSON.parse(answer) as { address: string }).address;
  };
  expect(await seenBy('--noproxy', '*')).toBe(addresses.user.ipv4);
  expect(await seenBy('--proxy', `socks5h://${proxyOf(client).address}`)).toBe(addresses.gateway.ipv4);
  await client.call('disconnect', {});
  await proxyGone(net);
});

test('a program is routed by the group that it is in, and looks names up there, under the unit, too', async () => {
  const { machine } = installed;
  const include: Routing = { mode: 'app', policy: 'include', localNetwork: false };
  const client = await installed.connect({ routing: include }, await installed.attachInside());
  const reply = async (name: string) => {
    await machine.run(words('rm -f /run/go /run/seen /run/done'));
    const ask = `curl --silent --noproxy '*' http://${name}/ > /run/seen; touch /run/done`;
    const waiting = `(until [ -e /run/go ]; do sleep 0.1; done; ${ask}) > /dev/null 2>&1 & echo $!`;
    const pid = Number(await machine.run(['sh', '-c', waiting]));
    await client.call('moveProcess', { pid, into: 'group' });
    await machine.run(['touch', '/run/go']);
    await eventually('the program has ended', async () => {
      return (await machine.exec(['test', '-e', '/run/done'])).code === 0 || undefined;
    });
    return await machine.run(['cat', '/run/seen']);
  };
  expect(await reply(names.inside)).toMatch(/"destination":"(198|2001)/);
  // systemd-resolved asks the tunnel's resolvers then, and not for the group.
  await client.call('setRouting', { routing: { ...include, policy: 'exclude' } });
  expect(await reply(names.where)).toMatch(/"destination":"(203\.0\.113\.81|2001:db8:3::81)"/);
  expect(await installed.net.lab.user.seenFrom()).toBe(addresses.gateway.ipv4);
  await client.call('disconnect', {});
});

test('the helper is started again however often it is killed', async () => {
  // systemd's own limit is five starts in ten seconds (systemd-system.conf(5), DefaultStartLimitBurst=).
  for (let kill = 0; kill < 6; kill += 1) await installed.killHelper();
  expect((await installed.attach()).states).toEqual([{ state: 'disconnected' }]);
});

test('a sign-in is carried past the block', async () => {
  const client = await installed.attach();
  await client.call('connect', installed.net.request());
  const carried = await installed.attach();
  await carried.call('openGatewayStream', {});
  const { socket } = carried;
  socket.removeAllListeners('data');
  const secured = connectTls({ socket, rejectUnauthorized: false });
  await once(secured, 'secureConnect');
  expect(secured.getPeerX509Certificate()?.checkHost(names.gateway)).toBe(names.gateway);
  await client.call('disconnect', {});
});

test('Debian’s nftables.service empties the packet filter before the helper fills it', async () => {
  const { machine } = installed;
  await installed.connect({ killSwitch: true });
  await machine.run(words(`systemctl kill --signal=KILL ${unit}`));
  await machine.run(words(`systemctl stop ${unit}`));
  // So slow that the helper would be first if it did not wait.
  const slow = ['[Service]', 'ExecStartPre=/bin/sleep 2', ''].join('\n');
  const place = '/run/systemd/system/nftables.service.d';
  await machine.run(['sh', '-c', `mkdir -p ${place} && cat > ${place}/slow.conf`], { input: slow });
  await machine.run(words('systemctl daemon-reload'));
  const since = (await machine.run(['date', '+%F %T'])).trim();
  const putBack = async () => {
    const log = ['journalctl', '--unit', unit, '--since', since, '--output=cat'];
    return (await machine.run(log)).includes('it was put back');
  };
  await machine.run(words(`systemctl start nftables.service ${unit}`));
  await installed.helper();
  const client = await installed.attach();
  expect(await machine.run(words('nft list tables'))).toContain('table inet waymaker\n');
  expect(await putBack()).toBe(false);
  // However slow the helper is.
  const [emptied, begun] = await Promise.all(
    [`ActiveEnter nftables.service`, `InactiveExit ${unit}`].map(async (of) => {
      const [event = '', name = ''] = of.split(' ');
      const show = `systemctl show --property=${event}TimestampMonotonic --value ${name}`;
      return Number(await machine.run(words(show)));
    }),
  );
  expect(emptied).toBeGreaterThan(0);
  expect(begun).toBeGreaterThanOrEqual(emptied ?? Infinity);
  // As an administrator does later.
  await machine.run(words('systemctl restart nftables.service'));
  await eventually('the helper fills it again', async () => (await putBack()) || undefined);
  expect(await machine.run(words('nft list tables'))).toContain('table inet waymaker\n');
  await client.call('disconnect', {});
  await machine.run(['sh', '-c', `rm -r ${place} && systemctl daemon-reload && systemctl stop nftables`]);
});

test('what systemd-resolved tells nobody of is put back once names are not found any more', async () => {
  const { machine } = installed;
  const client = await installed.connect();
  await machine.run(words('resolvectl dnsovertls wm0 yes'));
  await whileUsed(machine, () =>
    eventually(
      'the tunnel’s resolvers are asked without TLS again',
      async () => (await machine.run(words('resolvectl dnsovertls wm0'))).trim().endsWith(' no') || undefined,
      { timeout: 60_000 },
    ),
  );
  await client.call('disconnect', {});
});

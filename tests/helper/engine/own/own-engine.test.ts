import { setTimeout as delay } from 'node:timers/promises';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startGapMeter } from '../../../lab/packets/gaps.ts';
import { uidOn } from '../../../lab/machine/processes.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { helperLabForEach } from '../../support/lab-for-each.ts';
import { dropUdp } from '../../support/session-under-traffic.ts';

const net = helperLabForEach({ engine: 'own' });

test('the process has no privileges, and lost datagrams cost no second before DTLS comes back', async () => {
  const session = await net.signIn();
  const client = await net.connect({ session });
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  const [pid] = await net.engines();
  if (pid === undefined) throw new Error('no engine');
  // Threads have privileges of their own (capabilities(7)).
  const threads = await readdir(`/proc/${pid}/task`);
  for (const thread of threads) await expectNoPrivileges(`/proc/${pid}/task/${thread}/status`);

  const told = await Promise.all(
    ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'latin1')),
  );
  const secret = session.cookie.slice(session.cookie.indexOf('=') + 1);
  for (const text of [...told, net.log()]) expect(text).not.toContain(secret);

  const open = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => 'gone')),
  );
  expect(open.filter((link) => link === '/dev/net/tun')).toHaveLength(1);
  const others = open.filter(
    (link) => !/^(?:socket|pipe|anon_inode):|^\/dev\/(?:null|net\/tun)$|^gone$/.test(link),
  );
  expect(others).toEqual([]);

  const meter = await startGapMeter(net.lab.user);
  const seen = client.states.length;
  const limitMs = waitLimit(1_500);
  await dropUdp(net, async () => {
    await client.until('connected', { seen, where: ({ transport }) => transport === 'tls' });
    // Were nothing carried over TLS, the silence would become too long.
    await delay(limitMs + 1_000);
  });
  const back = client.states.findIndex(
    (state, index) => index >= seen && state.state === 'connected' && state.transport === 'tls',
  );
  await client.until('connected', { seen: back, where: ({ transport }) => transport === 'dtls' });
  const gaps = await meter.end();
  // What else is learnt of the tunnel is told as well.
  const since = client.states.slice(seen - 1);
  const transports = since.map((state) => state.state === 'connected' && state.transport);
  expect(transports.filter((one, index) => one !== transports[index - 1])).toEqual(['dtls', 'tls', 'dtls']);
  expect(gaps.isTcpAlive).toBe(true);
  expect(Math.max(gaps.udp, gaps.tcp)).toBeLessThan(limitMs);
});

async function expectNoPrivileges(file: string): Promise<void> {
  const status = await readFile(file, 'utf8');
  const field = (name: string) =>
    new RegExp(`^${name}:[ \\t]*(.*)$`, 'm')
      .exec(status)?.[1]
      ?.split(/\s+/)
      .filter((word) => word !== '');
  const uid = String(uidOn(net.lab.user.pid, 'waymaker-engine'));
  expect(field('Uid')).toEqual([uid, uid, uid, uid]);
  expect(field('Gid')).not.toContain('0');
  expect(field('Groups')).toEqual([]);
  for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) expect(field(set)).toEqual(['0'.repeat(16)]);
  expect(field('NoNewPrivs')).toEqual(['1']);
}

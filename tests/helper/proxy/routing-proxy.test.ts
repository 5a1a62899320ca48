import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createProxyProcess } from '../../../helper/posix/proxy-process.ts';
import { linuxProxy } from '../../../helper/linux/programs/linux-proxy.ts';
import { killProcessesOf } from '../../../helper/linux/programs/end-processes.ts';
import { createLog } from '../../../helper/log.ts';
import { eventually } from '../../lab/runs/process.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { silenceLimit } from '../../lab/runs/wait-limit.ts';
import { emptyConfiguration, proxyAccount } from '../support/proxy/proxy-process.ts';

/** Apart from the account of the laboratories, whose processes are none of ours. */
const account = { uid: proxyAccount.uid + 20, gid: proxyAccount.gid + 20 };
const realScript = path.resolve(import.meta.dirname, '../../../helper/posix/start-proxy.ts');

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'waymaker-proxy-'));
});

afterEach(async () => {
  await killProcessesOf(account.uid);
  await rm(directory, { recursive: true });
});

function create(script: string) {
  const log = createLog();
  return createProxyProcess({ account, system: linuxProxy(log), script: () => script, log });
}

/** A proxy that somebody in the network has taken over. */
async function writeScript(text: string): Promise<string> {
  const script = path.join(directory, 'proxy.mjs');
  await writeFile(script, text);
  return script;
}

test('a proxy that is stopped while it is being started does not run afterwards', async () => {
  const proxy = create(realScript);
  const configured = proxy.configure(emptyConfiguration);
  proxy.stop();
  await expect(configured).rejects.toThrow();
  // Longer than it takes to start.
  await delay(silenceLimit(1_500, 15_000));
  expect(await killProcessesOf(account.uid)).toBe(0);
});

test.each(casesOf({ usual: ['stderr'], all: ['stdout', 'stderr'] }))(
  'a line that never ends on its %s does not fill the memory',
  async (stream) => {
    const proxy = create(
      await writeScript(`
      const piece = Buffer.alloc(1024 * 1024, 'x');
      const fill = () => { while (process.${stream}.write(piece)); };
      process.${stream}.on('drain', fill);
      fill();
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${isExhaustive ? 3000 : 1000});`),
    );
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 20);
    try {
      await expect(proxy.configure(emptyConfiguration)).rejects.toThrow();
    } finally {
      clearInterval(watch);
      proxy.stop();
    }
    expect((most - before) / 1024 / 1024).toBeLessThan(150);
  },
);

test('lists that no browser would follow are refused, and the ones before stay in force', async () => {
  const proxy = create(realScript);
  await proxy.configure({ ...emptyConfiguration, routeDomains: ['example.com'] });
  const { listening } = proxy;
  const routeDomains = Array.from(
    { length: 60_000 },
    (_, index) => `${(index * 7919) % 1_000_003}q${'z'.repeat(20)}.example`,
  );
  await expect(proxy.configure({ ...emptyConfiguration, routeDomains })).rejects.toThrow(/PAC file of/);
  expect(proxy.listening).toEqual(listening);
  const pac = await fetch(listening?.pacUrl ?? '');
  expect(await pac.text()).toContain('example');
  proxy.stop();
});

test('another configuration with the same lists is by these lists, also in a process that takes its place', async () => {
  const proxy = create(realScript);
  const listed = { ...emptyConfiguration, routeDomains: ['example.com'], blockedDomains: ['ads.example'] };
  /** What the proxy answers to a request for that name. */
  const statusOf = async (name: string) => {
    const { port } = proxy.listening ?? {};
    const [answer] = (await once(
      get({ host: '127.0.0.1', port, path: `http://${name}/`, agent: false }),
      'response',
    )) as [IncomingMessage];
    answer.resume();
    return answer.statusCode;
  };
  await proxy.configure(listed);
  const { listening } = proxy;
  const expectLists = async () => {
    expect(await statusOf('www.ads.example')).toBe(403);
    // There is no resolver to find it.
    expect(await statusOf('example.com')).toBe(502);
    expect(proxy.listening).toEqual(listening);
  };
  await expectLists();
  await proxy.configure({ ...listed, families: { ipv4: true, ipv6: false }, routeDomains: ['example.com'] });
  await expectLists();
  expect(await killProcessesOf(account.uid)).toBe(1);
  await eventually('another has taken its place', () => statusOf('example.com').catch(() => undefined));
  await expectLists();
  await proxy.configure({ ...listed, blockedDomains: [] });
  expect(await statusOf('www.ads.example')).toBe(502);
  proxy.stop();
});

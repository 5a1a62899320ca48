import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { helperMethods } from '#shared/helper/protocol.ts';
import { routeConfig, type RouteConfig } from '#shared/tunnel/route-config.ts';
import type { Routing, TunnelState } from '#shared/tunnel/state.ts';
import { createRoutingHost } from '../../../../src/main/preferences/routing-host.ts';
import { createTestFile, type TestFile } from '../support/key-value-file.ts';
import { createTestLog } from '../support/log.ts';

const realList = path.resolve(import.meta.dirname, '../../../fixtures/route-lists/cn-domains.txt');

const pac: Extract<RouteConfig, { mode: 'pac' }> = {
  mode: 'pac',
  pac: { routeDomains: ['example.com'], blockedDomains: ['ads.example'] },
};
const asked: Routing = { mode: 'pac', routeDomains: ['example.com'], blockedDomains: ['ads.example'] };
const connected: TunnelState = {
  state: 'connected',
  gateway: { host: 'vpn.example.org', port: 443 },
  since: 0,
  addresses: {},
  transport: 'tls',
  routing: {
    mode: 'pac',
    proxy: { address: '127.0.0.1:40123', pacUrl: 'http://127.0.0.1:40123/3f9c.pac' },
  },
};

function start({
  file = createTestFile(),
  state = { state: 'disconnected' },
}: { file?: TestFile; state?: TunnelState } = {}) {
  const reroutes: Routing[] = [];
  let fails = false;
  const testLog = createTestLog();
  const routing = createRoutingHost({
    file,
    localNetwork: () => true,
    tunnel: {
      state: () => state,
      reroute(to) {
        reroutes.push(to);
        return fails ? Promise.reject(new Error('refused')) : Promise.resolve();
      },
    },
    log: testLog.log,
  });
  return {
    file,
    reroutes,
    routing,
    log: testLog,
    fail: () => {
      fails = true;
    },
  };
}

test('spec §4: global by default', async () => {
  const { routing } = start();
  expect(await routing.host.get(undefined)).toEqual({ mode: 'global' });
  expect(routing.current()).toEqual({ mode: 'global', localNetwork: true });
});

test('what was chosen holds for a tunnel that is up, for later ones, and over restarts', async () => {
  const { routing, reroutes, file } = start();
  expect(await routing.host.set(pac)).toBe(true);
  expect(reroutes).toEqual([asked]);
  expect(routing.current()).toEqual(asked);
  const again = start({ file });
  expect(await again.routing.host.get(undefined)).toEqual(pac);
  expect(again.routing.current()).toEqual(asked);
});

test('is applied anew when what else decides it has changed', async () => {
  const { routing, reroutes, fail } = start();
  await routing.apply();
  expect(reroutes).toEqual([{ mode: 'global', localNetwork: true }]);
  fail();
  await expect(routing.apply()).rejects.toThrow('refused');
});

test('the same choice again disturbs nothing', async () => {
  const { routing, reroutes } = start();
  await routing.host.set(pac);
  expect(await routing.host.set(structuredClone(pac))).toBe(true);
  expect(reroutes).toHaveLength(1);
});

test('entries that are no domain names are left out and counted; the others are told in canonical form', async () => {
  const real = (await readFile(realList, 'utf8')).split('\n').filter(Boolean);
  const bad = ['', ' ', '--script=/bin/sh', '/etc/passwd', 'a\0b', '127.0.0.1', 'x'.repeat(300)];
  const international = ['bücher.example', '*.中国', 'EXAMPLE.com.'];
  const { routing, reroutes, log } = start();
  const given: RouteConfig = {
    mode: 'pac',
    pac: { routeDomains: [...real, ...bad, ...international], blockedDomains: ['-o', 'ads.example'] },
  };
  expect(await routing.host.set(routeConfig.parse(given))).toBe(true);
  const [told] = reroutes;
  if (told?.mode !== 'pac') throw new Error('not routed by names');
  expect(told.routeDomains).toEqual([...real, 'xn--bcher-kva.example', 'xn--fiqs8s', 'example.com']);
  expect(told.blockedDomains).toEqual(['ads.example']);
  expect(log.text()).toContain('"leftOut":8');
  // Which is what the helper takes.
  expect(helperMethods.setRouting.params.safeParse({ routing: told }).success).toBe(true);
});

test('where the proxy listens is told by the tunnel, and never taken from the page', async () => {
  const up = start({ state: connected });
  const claimed = { ...pac, pac: { ...pac.pac, socks5Proxy: '192.0.2.1:1080' } };
  expect(await up.routing.host.set(claimed)).toBe(true);
  expect(up.routing.current()).toEqual(asked);
  expect(await up.routing.host.get(undefined)).toEqual({
    ...pac,
    pac: { ...pac.pac, socks5Proxy: '127.0.0.1:40123' },
  });
  expect(await start({ file: up.file }).routing.host.get(undefined)).toEqual(pac);
});

test('a choice that fails late does not take back a later one', async () => {
  const earlier: RouteConfig = { mode: 'pac', pac: { routeDomains: [], blockedDomains: [] } };
  const file = createTestFile({ config: earlier });
  const failures: ((error: Error) => void)[] = [];
  const routing = createRoutingHost({
    file,
    localNetwork: () => false,
    tunnel: {
      state: () => connected,
      reroute: ({ mode }) =>
        mode === 'pac' ? new Promise((_resolve, reject) => failures.push(reject)) : Promise.resolve(),
    },
    log: createTestLog().log,
  });
  const [automatic, everything] = [routing.host.set(pac), routing.host.set({ mode: 'global' })];
  await vi.waitFor(() => expect(failures).toHaveLength(1));
  failures[0]?.(new Error('refused'));
  expect(await Promise.all([automatic, everything])).toEqual([false, true]);
  expect(routing.current().mode).toBe('global');
});

describe('false, and the choice stays what it was,', () => {
  test('when the helper refuses', async () => {
    const { routing, fail } = start();
    fail();
    expect(await routing.host.set(pac)).toBe(false);
    expect(routing.current()).toEqual({ mode: 'global', localNetwork: true });
  });

  test('when the lists are longer than the helper takes', async () => {
    const { routing, reroutes } = start();
    const routeDomains = Array.from({ length: 20_000 }, (_, index) => `${'x'.repeat(225)}-${index}.example`);
    expect(await routing.host.set({ mode: 'pac', pac: { routeDomains, blockedDomains: [] } })).toBe(false);
    expect(reroutes).toEqual([]);
    expect(routing.current().mode).toBe('global');
  });

  test('when the lists are longer than a PAC file may be: at once, and not when a tunnel is made', async () => {
    const { routing, reroutes, file, log } = start();
    // Within what the helper takes in one frame, and without much in common.
    const digest = (index: number) => createHash('sha256').update(`${index}`).digest('hex');
    const routeDomains = Array.from(
      { length: 100_000 },
      (_, index) => `${digest(index).slice(0, 20)}.example`,
    );
    expect(await routing.host.set({ mode: 'pac', pac: { routeDomains, blockedDomains: [] } })).toBe(false);
    expect(reroutes).toEqual([]);
    expect(file.get('config')).toBeUndefined();
    expect(routing.current().mode).toBe('global');
    expect(log.text()).toContain('too long for a PAC file');
    // The same number of names that have more in common is no more than browsers take.
    const alike = routeDomains.map((_, index) => `site-${index}.example`);
    expect(await routing.host.set({ mode: 'pac', pac: { routeDomains: alike, blockedDomains: [] } })).toBe(
      true,
    );
  });

  test('when it cannot be kept', async () => {
    const file = createTestFile();
    const { routing, reroutes } = start({ file });
    file.broken = true;
    expect(await routing.host.set(pac)).toBe(false);
    expect(reroutes).toEqual([]);
    expect(routing.current()).toEqual({ mode: 'global', localNetwork: true });
  });

  test.each<RouteConfig>([
    { mode: 'app', routeApps: ['firefox'] },
    { mode: 'ip', routeIps: ['192.0.2.0/24'] },
  ])('when the desktop cannot route so: %o', async (config) => {
    const { routing } = start();
    expect(await routing.host.set(config)).toBe(false);
    expect(await routing.host.get(undefined)).toEqual({ mode: 'global' });
  });
});

test('a choice that cannot be read any more is global', () => {
  expect(start({ file: createTestFile({ config: { mode: 'pac' } }) }).routing.current().mode).toBe('global');
});

import { beforeEach, expect, test } from 'vitest';
import type { Registry } from '../../../../helper/windows/calls/registry.ts';
import { createWindowsDns } from '../../../../helper/windows/dns/dns.ts';
import { makeKey, registryOn, type RegistryTree } from './model/registry-tree.ts';

/**
 * Where Windows has a list that counts for all interfaces, it looks at none of theirs (OpenVPN 749, netclient 1111).
 */

const machineKey = 'SYSTEM\\CurrentControlSet\\Services\\Tcpip\\Parameters';
const policyKey = 'SOFTWARE\\Policies\\Microsoft\\Windows NT\\DNSClient';
const rules = 'SYSTEM\\CurrentControlSet\\Services\\Dnscache\\Parameters\\DnsPolicyConfig';

class Died extends Error {}

let tree: RegistryTree;
let told: string[];
/** How many more values may be written or deleted before the helper dies. */
let lifeLeft: number;
beforeEach(() => {
  tree = new Map();
  makeKey(tree, rules);
  told = [];
  lifeLeft = Infinity;
});

const mayChange = () => {
  if (lifeLeft <= 0) throw new Died();
  lifeLeft -= 1;
};

function start() {
  const real = registryOn(tree, () => undefined, new Set());
  const registry: Registry = {
    ...real,
    setValue(...given) {
      mayChange();
      real.setValue(...given);
    },
    deleteValue(...given) {
      mayChange();
      return real.deleteValue(...given);
    },
    deleteKey(path) {
      mayChange();
      return real.deleteKey(path);
    },
  };
  return createWindowsDns({
    registry,
    resolverClient: {
      refreshPolicies: () => void told.push('policies'),
      readSettings() {
        told.push('settings');
        return 'read';
      },
      flush: () => void told.push('flush'),
    },
    ipHelper: { resolvers: () => [] },
    tunnel: () => undefined,
  });
}

const put = (key: string, list: string) => makeKey(tree, key).set('SearchList', { kind: 'text', text: list });
const listAt = (key: string) => {
  const value = tree.get(key)?.get('SearchList');
  return value?.kind === 'text' ? value.text : undefined;
};
/** What is in the registry but for keys without values, of which Windows keeps some. */
const snapshot = () =>
  JSON.stringify(
    [...tree].filter(([, values]) => values.size > 0).map(([key, values]) => [key, [...values]]),
  );

const dnsWith = (...searchDomains: string[]) => ({ servers: ['10.9.0.53'], searchDomains });

test.each([machineKey, policyKey])(
  'the tunnel’s domains are added to the list of %s, and taken out again',
  async (key) => {
    put(key, 'home.example,Corp.example');
    const before = snapshot();
    const dns = start();
    await dns.prepare();
    await dns.set(dnsWith('corp.example', 'vpn.example'));
    expect(listAt(key)).toBe('home.example,Corp.example,vpn.example');
    expect(await dns.verify()).toBe('in-force');
    expect(told).toContain('settings');
    // Windows would write the policies anew, without ours.
    expect(told).not.toContain('policies');
    await dns.set(dnsWith('other.example'));
    expect(listAt(key)).toBe('home.example,Corp.example,other.example');
    await dns.set(dnsWith());
    expect(listAt(key)).toBe('home.example,Corp.example');
    await dns.set(dnsWith('vpn.example'));
    await dns.clear();
    expect(snapshot()).toBe(before);
  },
);

test('a list of an administrator’s counts, and not the machine’s own', async () => {
  put(machineKey, 'home.example');
  const dns = start();
  await dns.prepare();
  await dns.set(dnsWith('vpn.example'));
  expect(listAt(machineKey)).toBe('home.example,vpn.example');
  put(policyKey, 'company.example');
  expect(await dns.verify()).toBe('changed');
  await dns.set(dnsWith('vpn.example'));
  expect([listAt(policyKey), listAt(machineKey)]).toEqual(['company.example,vpn.example', 'home.example']);
  // Windows writes the policies anew now and then.
  put(policyKey, 'company.example');
  expect(await dns.verify()).toBe('changed');
  await dns.set(dnsWith('vpn.example'));
  expect(listAt(policyKey)).toBe('company.example,vpn.example');
  expect(await dns.verify()).toBe('in-force');
  await dns.clear();
  expect([listAt(policyKey), listAt(machineKey)]).toEqual(['company.example', 'home.example']);
});

test.each(['', undefined])(
  'without a list (%j) there is none afterwards: the interfaces’ count',
  async (list) => {
    if (list !== undefined) put(machineKey, list);
    const dns = start();
    await dns.prepare();
    await dns.set(dnsWith('vpn.example'));
    expect([listAt(machineKey), listAt(policyKey)]).toEqual([list, undefined]);
    expect(await dns.verify()).toBe('in-force');
  },
);

test('what others have changed meanwhile stays', async () => {
  put(machineKey, 'home.example, old.example');
  const dns = start();
  await dns.prepare();
  await dns.set(dnsWith('vpn.example'));
  put(machineKey, 'vpn.example,new.example');
  await dns.clear();
  expect(listAt(machineKey)).toBe('new.example');
});

test('wherever a helper dies, the next one takes its domains out, with a journal and without', async () => {
  put(machineKey, 'home.example');
  const before = snapshot();
  for (const hasJournal of [true, false]) {
    let deaths = 0;
    for (let steps = 0; ; steps += 1) {
      lifeLeft = steps;
      const dns = start();
      const undo = await dns.prepare();
      let isDead = false;
      try {
        await dns.set(dnsWith('vpn.example'));
        await dns.set(dnsWith('other.example'));
        await dns.clear();
      } catch (error) {
        if (!(error instanceof Died)) throw error;
        isDead = true;
      }
      if (!isDead) break;
      deaths += 1;
      lifeLeft = Infinity;
      const next = start();
      for (const how of hasJournal && undo ? [undo] : await next.leftOver([])) await next.undo(how);
      expect.soft(listAt(machineKey), `died after ${steps}`).toBe('home.example');
      expect.soft(tree.get(machineKey)?.size, `died after ${steps}`).toBe(1);
    }
    expect(deaths).toBeGreaterThan(10);
    lifeLeft = Infinity;
    await start().undo({ kind: 'name-rule' });
    expect(snapshot()).toBe(before);
  }
});

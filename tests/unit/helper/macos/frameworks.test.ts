import { rmSync } from 'node:fs';
import koffi from 'koffi';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSignatures, type CodeSignatures } from '../../../../helper/macos/calls/code-signature.ts';
import { createCoreFoundation } from '../../../../helper/macos/calls/core-foundation.ts';
import { createDynamicStore, type DynamicStore } from '../../../../helper/macos/calls/dynamic-store.ts';
import { createNotifications } from '../../../../helper/macos/calls/notifications.ts';
import { createDynamicStoreDns } from '../../../../helper/macos/dns/dynamic-store-dns.ts';
import { buildDouble } from '../../../lab/darwin/build-double.ts';
import { whyWithoutHeaders } from '../../../lab/darwin/compile-for-macos.ts';
import { resolversXml } from '../../../lab/darwin/model/machine.ts';

const without = whyWithoutHeaders();
const [wifi, named] = ['State:/Network/Service/WIFI/DNS', 'Setup:/Network/Service/WIFI/DNS'] as const;

describe.skipIf(without)(
  `a double of the dynamic store${without === undefined ? '' : `: ${without}`}`,
  () => {
    let directory = '';
    let store: DynamicStore;
    let living: () => number;
    let breakStore: (broken: number) => void;
    let signatures: CodeSignatures;
    let sign: (result: number) => void;
    let asked: () => string;

    beforeAll(() => {
      const built = buildDouble('store');
      ({ directory } = built);
      const { library } = built;
      // A descriptor for the test alone, as fcntl(2) would give.
      const duplicate = koffi.load(null).func('int dup(int)') as (descriptor: number) => number;
      const notifications = createNotifications({ duplicate }, library);
      const foundation = createCoreFoundation(library);
      store = createDynamicStore(foundation, notifications, library);
      signatures = createCodeSignatures(foundation, library);
      sign = koffi.load(library).func('void double_sign(int)') as (result: number) => void;
      asked = koffi.load(library).func('const char *double_asked(void)') as () => string;
      const file = koffi.load(library);
      living = file.func('int double_living(void)') as () => number;
      breakStore = file.func('void double_break(int)') as (broken: number) => void;
    });
    afterAll(() => rmSync(directory, { recursive: true, force: true }));

    test('values are set, listed, read and removed, and nothing stays in memory', () => {
      expect(store.get(wifi)).toBeUndefined();
      store.set(wifi, resolversXml(['192.0.2.53']));
      expect(store.keys('(State|Setup):/Network/Service/[^/]+/DNS')).toEqual([wifi]);
      expect(store.get(wifi)).toBe(resolversXml(['192.0.2.53']));
      expect(store.remove(wifi)).toBe('removed');
      expect(store.remove(wifi)).toBe('absent');
      expect(() => store.set(wifi, 'no property list')).toThrow('there is no property list');
      expect(living()).toBe(0);
    });

    test('a store that cannot be reached is an error, and is found again', () => {
      breakStore(1);
      expect(() => store.get(wifi)).toThrow('there is no dynamic store');
      breakStore(0);
      expect(store.get(wifi)).toBeUndefined();
      expect(living()).toBe(0);
    });

    test('changes of resolvers are reported until the watch ends', async () => {
      let told = 0;
      const stop = store.watchResolvers(() => {
        told += 1;
      });
      store.set(wifi, resolversXml(['192.0.2.53']));
      await expect.poll(() => told).toBeGreaterThan(0);
      stop();
      const before = told;
      store.remove(wifi);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(told).toBe(before);
    });

    test.each([
      [0, true],
      // Another signature, none, a broken one, and a program that has ended.
      [-67_050, false],
      [-67_062, false],
      [-67_061, false],
      [-67_065, false],
    ])('with status %i, a program is signed as required: %j', (status, isSigned) => {
      sign(status);
      const token = Buffer.from(Array.from({ length: 32 }, (_, index) => index));
      expect(signatures.meets(token, 'identifier "example.waymaker"')).toBe(isSigned);
      expect(asked()).toContain(`<key>audit</key><data>${token.toString('base64')}</data>`);
      expect(living()).toBe(0);
    });

    test('a check that fails for another reason, or an invalid requirement, is an error', () => {
      sign(-67_030);
      expect(() => signatures.meets(Buffer.alloc(32), 'identifier "x"')).toThrow('cannot be checked: -67030');
      expect(() => signatures.meets(Buffer.alloc(32), 'nonsense')).toThrow('cannot be read: -67064');
      expect(living()).toBe(0);
    });

    test('a tunnel’s resolvers take the place of both kinds, which come back byte by byte', async () => {
      const dns = createDynamicStoreDns(store);
      const [before, users] = [resolversXml(['192.0.2.53']), resolversXml(['198.51.100.53', '::1'])];
      store.set(wifi, before);
      store.set(named, users);
      const undo = await dns.prepare();
      expect(await dns.originalServers()).toEqual(['198.51.100.53', '::1']);
      await dns.set({ servers: ['10.66.0.1'], searchDomains: ['a&b.example'] });
      expect(await dns.verify()).toBe('in-force');
      expect(store.get(named)).toContain('<string>a&amp;b.example</string>');
      // What an earlier helper has left is undone by the journal alone.
      const next = createDynamicStoreDns(store);
      expect(await next.leftOver([])).toEqual([{ store: { [wifi]: null, [named]: null } }]);
      if (!undo) throw new Error('nothing would be undone');
      expect(await next.leftOver([undo])).toEqual([]);
      await next.undo(undo);
      expect([store.get(wifi), store.get(named)]).toEqual([before, users]);
      store.remove(wifi);
      store.remove(named);
      expect(living()).toBe(0);
    });
  },
);

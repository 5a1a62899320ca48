import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createApiClient } from '#shared/api/client.ts';
import { cacheSeconds } from '#shared/constants.ts';
import { helperMethods } from '#shared/helper/protocol.ts';
import { createRouteLists } from '../../../../src/main/preferences/route-lists.ts';
import { createTestTextFile, type TestTextFile } from '../support/key-value-file.ts';
import { createTestLog } from '../support/log.ts';

const realList = path.resolve(import.meta.dirname, '../../../fixtures/route-lists/cn-domains.txt');
const lifetimeMs = cacheSeconds.pac * 1000;
const lists = { routeDomains: ['example.com'], blockedDomains: ['ads.example'] };
const network = { ok: false, failure: { kind: 'network' } };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A service that answers by tag; undefined: it is out of reach. */
function start({ file = createTestTextFile(), told = lists }: { file?: TestTextFile; told?: object } = {}) {
  const service: { told: object | undefined; tags: (string | undefined)[]; token: string | undefined } = {
    told,
    tags: [],
    token: 'token',
  };
  const client = createApiClient({
    baseUrl: '',
    deviceName: 'Test',
    session: () => ({ deviceId: 'device', token: service.token }),
    endSession: () => Promise.resolve(),
    fetch(url, { headers }) {
      expect(url).toBe('/api/route/pac');
      service.tags.push(headers['If-None-Match']);
      if (!service.told) return Promise.reject(new Error('unreachable'));
      const text = JSON.stringify({ code: 0, msg: '', data: service.told });
      const tag = `W/"${createHash('sha256').update(text).digest('hex')}"`;
      const isSame = headers['If-None-Match'] === tag;
      return Promise.resolve({
        status: isSame ? 304 : 200,
        headers: new Headers({ etag: tag }),
        text: () => Promise.resolve(isSame ? '' : text),
      });
    },
  });
  const testLog = createTestLog();
  const routeLists = createRouteLists({ file, client, language: () => 'en', log: testLog.log });
  const changes: unknown[] = [];
  routeLists.onChange(() => changes.push(routeLists.current()));
  return { file, service, routeLists, changes, log: testLog.text };
}

describe('the route lists', () => {
  test('are asked for when they are wanted, and kept over restarts without being asked for again', async () => {
    const { routeLists, service, changes, file } = start();
    expect(routeLists.current()).toBeUndefined();
    expect(service.tags).toEqual([]);
    expect(await routeLists.update()).toEqual({ ok: true });
    expect(routeLists.current()).toEqual(lists);
    expect(changes).toEqual([lists]);
    expect(await routeLists.update()).toEqual({ ok: true });
    expect(service.tags).toEqual([undefined]);

    const again = start({ file });
    expect(again.routeLists.current()).toEqual(lists);
    expect(await again.routeLists.update()).toEqual({ ok: true });
    expect(again.service.tags).toEqual([]);
  });

  test('are parsed once, and are one object for everybody', async () => {
    const { file, routeLists } = start();
    await routeLists.update();
    const again = start({ file });
    const reads = file.reads;
    expect(again.routeLists.current()).toBe(again.routeLists.current());
    await again.routeLists.update();
    expect(file.reads - reads).toBe(1);
  });

  test('spec §9: PAC 24 h, then asked for by their tag: the same ones are fresh again and not sent', async () => {
    const { routeLists, service, changes, file } = start();
    await routeLists.update();
    const before = routeLists.current();
    vi.advanceTimersByTime(lifetimeMs - 1);
    await routeLists.update();
    expect(service.tags).toHaveLength(1);
    vi.advanceTimersByTime(1);
    await routeLists.update();
    expect(service.tags).toHaveLength(2);
    expect(service.tags[1]).toMatch(/^W\//);
    expect(routeLists.current()).toBe(before);
    expect(changes).toHaveLength(1);
    vi.advanceTimersByTime(lifetimeMs - 1);
    const again = start({ file });
    await again.routeLists.update();
    expect(again.service.tags).toEqual([]);
  });

  test('that have changed take the place of the old ones, and whoever routes by them is told', async () => {
    const { routeLists, service, changes, file } = start();
    await routeLists.update();
    vi.advanceTimersByTime(lifetimeMs);
    service.told = { routeDomains: ['later.example'], blockedDomains: [] };
    await routeLists.update();
    expect(changes).toEqual([lists, service.told]);
    expect(start({ file }).routeLists.current()).toEqual(service.told);
  });

  test('stay as they are while the service is out of reach, and are asked for again', async () => {
    const { routeLists, service } = start();
    await routeLists.update();
    vi.advanceTimersByTime(lifetimeMs);
    service.told = undefined;
    expect(await routeLists.update()).toEqual(network);
    expect(routeLists.current()).toEqual(lists);
    expect(await routeLists.update()).toEqual(network);
    expect(service.tags).toHaveLength(3);
  });

  test('are asked for once by everybody who wants them at a time', async () => {
    const { routeLists, service } = start();
    await Promise.all([routeLists.update(), routeLists.update(), routeLists.update()]);
    expect(service.tags).toHaveLength(1);
  });

  test('of a time to come, because the clock was set back, are old', async () => {
    const { routeLists, service } = start();
    await routeLists.update();
    vi.setSystemTime(Date.now() - 1000);
    await routeLists.update();
    expect(service.tags).toHaveLength(2);
  });

  test('are forgotten with the account, and an answer on its way with them', async () => {
    const { routeLists, service, file } = start();
    await routeLists.update();
    vi.advanceTimersByTime(lifetimeMs);
    const onItsWay = routeLists.update();
    service.token = undefined;
    routeLists.forget();
    expect(await onItsWay).toMatchObject({ ok: false });
    expect(routeLists.current()).toBeUndefined();
    expect(file.text).toBeUndefined();
  });

  test('on a disk that takes nothing hold until the app ends', async () => {
    const { routeLists, file } = start();
    file.broken = true;
    expect(await routeLists.update()).toEqual({ ok: true });
    expect(routeLists.current()).toEqual(lists);
  });

  test.each(['', '{', '[]', JSON.stringify({ checkedAt: 0, routeDomains: ['-o'], blockedDomains: [] })])(
    'that cannot be read any more are asked for again: %j',
    async (text) => {
      const { routeLists, service, log } = start({ file: createTestTextFile(text) });
      expect(routeLists.current()).toBeUndefined();
      expect(log()).toContain('cannot be read');
      await routeLists.update();
      expect(service.tags).toEqual([undefined]);
      expect(routeLists.current()).toEqual(lists);
    },
  );

  test('leave out and count what is no domain name, and have the rest in canonical form, as the helper takes it', async () => {
    const real = (await readFile(realList, 'utf8')).split('\n').filter(Boolean);
    const bad = ['', ' ', '--script=/bin/sh', '/etc/passwd', 'a\0b', '127.0.0.1', 'x'.repeat(300)];
    const international = ['bücher.example', '*.中国', 'EXAMPLE.com.'];
    const told = {
      routeDomains: [...real, ...bad, ...international],
      blockedDomains: ['-o', 'ads.example'],
    };
    const { routeLists, log } = start({ told });
    expect(await routeLists.update()).toEqual({ ok: true });
    const current = routeLists.current();
    expect(current?.routeDomains).toEqual([...real, 'xn--bcher-kva.example', 'xn--fiqs8s', 'example.com']);
    expect(current?.blockedDomains).toEqual(['ads.example']);
    expect(log()).toContain('"leftOut":8');
    const routing = { mode: 'pac', ...current };
    expect(helperMethods.setRouting.params.safeParse({ routing }).success).toBe(true);
  });

  test.each([
    ['the helper takes', 20_000, (index: number) => `${`${'x'.repeat(56)}.`.repeat(4)}${index}.example`],
    [
      'a PAC file may be',
      100_000,
      (index: number) => `${createHash('sha256').update(`${index}`).digest('hex').slice(0, 20)}.example`,
    ],
  ])('that are longer than %s are not taken: the old ones stay', async (_, length, name) => {
    const { routeLists, service, log } = start();
    await routeLists.update();
    vi.advanceTimersByTime(lifetimeMs);
    service.told = { routeDomains: Array.from({ length }, (__, index) => name(index)), blockedDomains: [] };
    expect(await routeLists.update()).toEqual({ ok: false, failure: 'too-long' });
    expect(routeLists.current()).toEqual(lists);
    expect(log()).toContain('too long');
  });
});

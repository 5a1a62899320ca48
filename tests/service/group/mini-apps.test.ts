import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { ApiBody } from '#shared/api/calls.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLogger } from '../../../src/service/log.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import {
  newDirectory,
  newEmail,
  signedIn,
  startTestService,
  type TestDevice,
  type TestService,
} from '../test-service.ts';
import { givePlan, makeMember, newMember, newPayer } from './membership.ts';
import { inPages } from './pages.ts';

/** A PNG picture, all black, of so many pixels each way; `change` can spoil it. */
function png(pixels: number, change: (file: Buffer) => Buffer = (file) => file): string {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 0]);
  header.writeUInt32BE(pixels, 0);
  header.writeUInt32BE(pixels, 4);
  const chunk = (type: string, data: Buffer) => {
    const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const around = Buffer.alloc(8);
    around.writeUInt32BE(data.length, 0);
    around.writeUInt32BE(crc32(content), 4);
    return Buffer.concat([around.subarray(0, 4), content, around.subarray(4)]);
  };
  const file = Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(pixels * (1 + pixels * 4)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${change(file).toString('base64')}`;
}

const icon = png(128);
const draft: ApiBody<'createApp'> = {
  name: 'Mail',
  type: 'browser',
  link: 'https://mail.example.com/',
  icon,
  priority: 50,
  requireLabels: [],
};

describe('apps', () => {
  let running: TestService;
  let withoutApps: TestDevice;
  beforeAll(async () => {
    running = await startTestService();
    withoutApps = await signedIn(running, newEmail());
  });
  afterAll(() => running[Symbol.asyncDispose]());

  const create = (device: TestDevice, changes: Partial<typeof draft> = {}) =>
    device.client.call('createApp', { body: { ...draft, ...changes } });
  async function created(device: TestDevice, changes: Partial<typeof draft> = {}) {
    const result = await create(device, changes);
    if (!result.ok) throw new Error('no app', { cause: result.failure });
    return result.data;
  }
  const namesOf = async (device: TestDevice, call: 'groupApps' | 'myApps') => {
    const result = await device.client.call(call);
    return result.ok ? result.data.items.map(({ name }) => name) : result;
  };

  test('made, read, changed and deleted', async () => {
    const device = await signedIn(running, newEmail());
    const miniApp = await created(device);
    expect(miniApp).toEqual({ ...draft, id: expect.any(String) });
    const params = { id: miniApp.id };
    expect(await device.client.call('groupApp', { params })).toEqual({ ok: true, data: miniApp });
    const body = { ...draft, name: ' Post ', icon: '', type: 'webkit', priority: 0 } as const;
    const changed = { ...body, name: 'Post', id: miniApp.id };
    expect(await device.client.call('editApp', { params, body })).toEqual({ ok: true, data: changed });
    expect(await device.client.call('groupApps')).toEqual({ ok: true, data: { items: [changed] } });
    expect(await device.client.call('deleteApp', { params })).toEqual({ ok: true, data: null });
    expect(await device.client.call('groupApps')).toEqual({ ok: true, data: { items: [] } });
  });

  test('an id in the body is that of the path, and no id of a new app', async () => {
    const device = await signedIn(running, newEmail());
    const made = await created(device, { id: '' });
    const other = await created(device, { id: made.id });
    expect(other.id).not.toBe(made.id);
    const edit = (id: string) =>
      device.client.call('editApp', { params: { id: made.id }, body: { ...draft, id, name: 'Changed' } });
    expect(await edit(other.id)).toMatchObject({ failure: { code: 422 } });
    expect(await edit(made.id)).toEqual({ ok: true, data: { ...made, name: 'Changed' } });
  });

  test('those with a high priority come first', async () => {
    const device = await signedIn(running, newEmail());
    for (const [name, priority] of [
      ['low', 1],
      ['first', 100],
      ['zero', 0],
      ['also low', 1],
    ] as const) {
      await created(device, { name, priority });
      running.clock.advance({ seconds: 1 });
    }
    expect(await namesOf(device, 'groupApps')).toEqual(['first', 'low', 'also low', 'zero']);
    expect(await namesOf(device, 'myApps')).toEqual(['first', 'low', 'also low', 'zero']);
  });

  test('another’s app, or one that is not there, is not found', async () => {
    const miniApp = await created(await signedIn(running, newEmail()));
    const device = await signedIn(running, newEmail());
    for (const id of [miniApp.id, randomUUID(), 'none']) {
      const expected = { failure: { code: 404 } };
      const params = { id };
      expect(await device.client.call('groupApp', { params })).toMatchObject(expected);
      expect(await device.client.call('editApp', { params, body: draft })).toMatchObject(expected);
      expect(await device.client.call('deleteApp', { params })).toMatchObject(expected);
    }
  });

  test.each([
    ['no name', { name: '  ' }],
    ['a name of control characters', { name: '\u0000\u202e' }],
    ['an endless name', { name: 'x'.repeat(65) }],
    ['a script as link', { link: 'javascript:alert(1)' }],
    ['another scheme', { link: 'httpx://example.com' }],
    ['a link to nowhere', { link: 'http' }],
    ['a priority above 100', { priority: 101 }],
    ['a priority below 0', { priority: -1 }],
    ['half a priority', { priority: 0.5 }],
    ['an icon of another size', { icon: png(64) }],
    ['an icon with a wrong checksum', { icon: png(128, (file) => Buffer.from(file.fill(1, 40, 50))) }],
    ['an icon cut off', { icon: png(128, (file) => file.subarray(0, -6)) }],
    [
      'an icon with something behind it',
      { icon: png(128, (file) => Buffer.concat([file, Buffer.from('x')])) },
    ],
    ['an icon that is no picture', { icon: `data:image/png;base64,${btoa('<svg onload=alert(1)>')}` }],
    ['an icon of another type', { icon: 'data:image/svg+xml;base64,PHN2Zz4=' }],
    ['an icon elsewhere', { icon: 'https://example.com/icon.png' }],
  ])('%s is refused', async (_, changes) => {
    expect(await create(withoutApps, changes)).toMatchObject({ ok: false, failure: { code: 422 } });
    expect(await namesOf(withoutApps, 'groupApps')).toEqual([]);
  });

  test('what is wrong is told', async () => {
    const because = async (changes: Partial<typeof draft>, msg: string) =>
      expect(await create(withoutApps, changes)).toMatchObject({ failure: { msg } });
    await because({ link: 'http' }, 'Please enter a valid URL.');
    await because({ icon: png(64) }, 'The icon must be a PNG image of 128 × 128 pixels.');
  });

  test('a member without labels sees the payer’s apps that require none', async () => {
    const { device: owner } = await newPayer(running);
    const { device: member } = await newMember(running, owner);
    await created(owner, { name: 'for all' });
    await created(owner, { name: 'for staff', requireLabels: ['staff'], priority: 40 });
    await created(owner, { name: 'for staff abroad', requireLabels: ['staff', 'abroad'], priority: 30 });
    expect(await namesOf(member, 'myApps')).toEqual(['for all']);
    const whole = ['for all', 'for staff', 'for staff abroad'];
    expect(await namesOf(owner, 'myApps'), 'who manages the apps').toEqual(whole);
    expect(await namesOf(owner, 'groupApps')).toEqual(whole);
  });

  test('a group has room for a hundred apps', async () => {
    const device = await signedIn(running, newEmail());
    const results = await Promise.all(Array.from({ length: 200 }, () => create(device, { icon: '' })));
    expect(results.filter(({ ok }) => ok)).toHaveLength(100);
    expect(await namesOf(device, 'groupApps')).toHaveLength(100);
    expect(await create(device)).toMatchObject({
      failure: { code: 422, msg: 'You cannot add more apps. Please delete one first.' },
    });
  });

  test('they come in pages, in the order of the whole', async () => {
    const device = await signedIn(running, newEmail());
    for (const [index, priority] of [5, 5, 5, 9, 1, 5, 100].entries()) {
      if (index % 2) running.clock.advance({ seconds: 1 });
      await created(device, { name: `app ${index}`, priority, icon: '' });
    }
    const whole = await namesOf(device, 'groupApps');
    expect(await inPages(device, 'groupApps')).toEqual({ titles: whole, sizes: [2, 2, 2, 1] });
  });

  test.each([
    { limit: '0' },
    { limit: '101' },
    { limit: 'all' },
    { cursor: 'none' },
    { cursor: Buffer.from('[101,"1","00000000-0000-4000-8000-000000000000"]').toString('base64url') },
    { cursor: Buffer.from('[1,"1",null]').toString('base64url') },
    { cursor: Buffer.from('[1,"9999999999999999999","x"]').toString('base64url') },
  ])('a page that cannot be is refused: %j', async (params) => {
    expect(await withoutApps.client.call('groupApps', { params })).toMatchObject({ failure: { code: 422 } });
  });
});

describe('labels', () => {
  const withLabels = async (content: string) => {
    const file = path.join(await newDirectory(), 'labels.json');
    await writeFile(file, content);
    return { WAYMAKER_USER_LABELS_FILE: file };
  };

  test('come from the operator’s file: a member sees the apps that require no others', async () => {
    const [payer, emails] = [newEmail(), [newEmail(), newEmail(), newEmail()]] as const;
    const [staff, abroad, ordinary] = emails;
    const labels = {
      [staff.toUpperCase()]: ['staff'],
      [abroad]: [' abroad\u202e', 'staff', 'more'],
      [payer]: [],
    };
    await using running = await startTestService({ environment: await withLabels(JSON.stringify(labels)) });
    const owner = await signedIn(running, payer);
    await givePlan(running, payer, emails.length);
    const offered = { 'for all': [], 'for staff': ['staff'], 'for staff abroad': ['staff', 'abroad'] };
    for (const [index, [name, requireLabels]] of Object.entries(offered).entries()) {
      await owner.client.call('createApp', { body: { ...draft, name, requireLabels, priority: 9 - index } });
    }
    const seenBy = async (email: string) => {
      const member = await signedIn(running, email);
      await makeMember(owner, member, email);
      const result = await member.client.call('myApps');
      return result.ok ? result.data.items.map(({ name }) => name) : result;
    };
    expect(await seenBy(ordinary)).toEqual(['for all']);
    expect(await seenBy(staff)).toEqual(['for all', 'for staff']);
    expect(await seenBy(abroad)).toEqual(['for all', 'for staff', 'for staff abroad']);
  });

  test('are taken up while the service runs, and a file that says something else keeps those before', async () => {
    const [payer, email] = [newEmail(), newEmail()];
    const environment = await withLabels(JSON.stringify({ [email]: [] }));
    const write = (content: string) => writeFile(environment.WAYMAKER_USER_LABELS_FILE, content);
    let log = '';
    const logger = createLogger('warn', { write: (line) => (log += line) });
    await using running = await startTestService({ environment, logger });
    const owner = await signedIn(running, payer);
    await givePlan(running, payer, 1);
    await owner.client.call('createApp', { body: { ...draft, requireLabels: ['staff'] } });
    const member = await signedIn(running, email);
    await makeMember(owner, member, email);
    const seen = async () => {
      const result = await member.client.call('myApps');
      return result.ok ? result.data.items.length : result;
    };
    expect(await seen()).toBe(0);
    await write(JSON.stringify({ [email]: ['staff'] }));
    await expect.poll(seen, { timeout: waitLimit(15_000) }).toBe(1);
    await write(`{"${email}": [`);
    await expect.poll(() => log, { timeout: waitLimit(15_000) }).toContain('labels.json');
    expect(log).not.toContain(email);
    expect(await seen()).toBe(1);
    await write(JSON.stringify({}));
    await expect.poll(seen, { timeout: waitLimit(15_000) }).toBe(0);
    expect(log.match(/labels\.json/g), 'what was broken is told once').toHaveLength(1);
  });

  test.each([
    '',
    '[]',
    '{"person@example.com": "staff"}',
    '{"staff": ["person@example.com"]}',
    '{"person@example.com": [], "Person@example.com": ["staff"]}',
  ])('the service does not start on a file that says something else: %s', async (content) => {
    const environment = await withLabels(content);
    await expect(startTestService({ environment })).rejects.toThrow(environment.WAYMAKER_USER_LABELS_FILE);
  });
});

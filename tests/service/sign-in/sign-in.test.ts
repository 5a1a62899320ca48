import { hash, randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  databaseKindsOfRun,
  fetchEnvelope,
  newEmail,
  otherCode,
  startTestService,
  TestDevice,
  type TestService,
} from '../test-service.ts';

const wrongCode = { ok: false, failure: { kind: 'service', code: 422 } };
const tooMany = { ok: false, failure: { kind: 'service', code: 429 } };

describe.each(databaseKindsOfRun)('sign-in on %s', (kind) => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService({ kind });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  test('an unknown address gets a code, and with it a trial account', async () => {
    const device = new TestDevice(running);
    const email = newEmail();
    await device.signIn(email);
    expect(await device.client.call('userInfo')).toEqual({
      ok: true,
      data: { email, profile: { level: 1, firstOrderDone: false, seatsUsed: 0 } },
    });
  });

  test('a second device signs in to the same account, however the address is capitalised', async () => {
    const email = newEmail();
    const [first, second] = [new TestDevice(running), new TestDevice(running)];
    await first.signIn(email);
    const authId = await second.requestCode(email.toUpperCase());
    await second.verify(authId, await second.readCode(email));
    const [one, two] = await Promise.all([first.client.call('myService'), second.client.call('myService')]);
    expect(one.ok && two.ok && one.data.serviceId === two.data.serviceId).toBe(true);
    expect(first.token).not.toBe(second.token);
  });

  test('an address and a code may be written as people write them', async () => {
    const device = new TestDevice(running);
    const email = newEmail();
    const authId = await device.requestCode(`\u202a${email.replace('@', '＠').replace('.', '。')}\u202c`);
    const code = await device.readCode(email);
    const typed = `${code.slice(0, 3)}\u2013${code.slice(3)}.`;
    const fullWidth = typed.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0));
    expect(await device.verify(authId, fullWidth)).toMatchObject({ ok: true });
    expect(await device.client.call('userInfo')).toMatchObject({ data: { email } });
  });

  test('the mail is in the language asked for, as text and as HTML, with no code in its subject', async () => {
    const words = { en: 'sign in', 'zh-hans': '登录', 'zh-hant': '登入' } as const;
    for (const language of ['en', 'zh-hans', 'zh-hant'] as const) {
      const device = new TestDevice(running);
      const email = newEmail();
      await device.requestCode(email, language);
      const [mail, ...others] = await device.mails(email);
      const code = await device.readCode(email);
      expect(others).toEqual([]);
      expect(mail?.to).toEqual([email]);
      expect(mail?.text).toContain(words[language]);
      expect(mail?.html).toContain(words[language]);
      expect(mail?.html).toContain(code);
      expect(mail?.subject).not.toContain(code);
    }
  });

  test('a wrong code is refused in the language asked for, and the right one still works', async () => {
    const device = new TestDevice(running);
    const email = newEmail();
    const authId = await device.requestCode(email);
    const code = await device.readCode(email);
    const body = { authId, authCode: otherCode(code), isDevice: true };
    const messages = { en: 'incorrect', 'zh-hans': '验证码错误', 'zh-hant': '驗證碼錯誤' } as const;
    for (const language of ['en', 'zh-hans', 'zh-hant'] as const) {
      expect(await device.client.call('auth', { body, language })).toEqual({
        ok: false,
        failure: { kind: 'service', code: 422, msg: expect.stringContaining(messages[language]) },
      });
    }
    expect(await device.verify(authId, code)).toMatchObject({ ok: true });
  });

  test('a code works once', async () => {
    const device = new TestDevice(running);
    const email = newEmail();
    const authId = await device.requestCode(email);
    const code = await device.readCode(email);
    expect(await device.verify(authId, code)).toMatchObject({ ok: true });
    expect(await device.verify(authId, code)).toMatchObject(wrongCode);
  });

  test('of many right tries at once, one signs in', async () => {
    const device = new TestDevice(running);
    const email = newEmail();
    const authId = await device.requestCode(email);
    const code = await device.readCode(email);
    const body = { authId, authCode: code, isDevice: true };
    const results = await Promise.all(Array.from({ length: 8 }, () => device.client.call('auth', { body })));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('a code works for the device that asked for it only', async () => {
    const [asking, other] = [new TestDevice(running), new TestDevice(running)];
    const email = newEmail();
    const authId = await asking.requestCode(email);
    const code = await asking.readCode(email);
    expect(await other.verify(authId, code)).toMatchObject(wrongCode);
    expect(await asking.verify(authId, code)).toMatchObject({ ok: true });
  });

  test('a code lasts ten minutes', async () => {
    const [inTime, late] = [new TestDevice(running), new TestDevice(running)];
    const [emailInTime, emailLate] = [newEmail(), newEmail()];
    const authIdInTime = await inTime.requestCode(emailInTime);
    const authIdLate = await late.requestCode(emailLate);
    running.clock.advance({ minutes: 9, seconds: 59 });
    expect(await inTime.verify(authIdInTime, await inTime.readCode(emailInTime))).toMatchObject({ ok: true });
    running.clock.advance({ seconds: 1 });
    expect(await late.verify(authIdLate, await late.readCode(emailLate))).toMatchObject(wrongCode);
  });

  test('the fifth try may be the right one, a sixth may not', async () => {
    const [fifth, sixth] = [new TestDevice(running), new TestDevice(running)];
    for (const [device, wrongTries, expected] of [
      [fifth, 4, { ok: true }],
      [sixth, 5, wrongCode],
    ] as const) {
      const email = newEmail();
      const authId = await device.requestCode(email);
      const code = await device.readCode(email);
      for (let distance = 1; distance <= wrongTries; distance += 1) {
        expect(await device.verify(authId, otherCode(code, distance))).toMatchObject(wrongCode);
      }
      expect(await device.verify(authId, code)).toMatchObject(expected);
    }
  });

  test('tries side by side count too', async () => {
    const device = new TestDevice(running);
    const email = newEmail();
    const authId = await device.requestCode(email);
    const code = await device.readCode(email);
    await Promise.all(Array.from({ length: 30 }, (_, i) => device.verify(authId, otherCode(code, i + 1))));
    expect(await device.verify(authId, code)).toMatchObject(wrongCode);
    const rows = await running.service.database.execute(
      sql`select tries from auth_codes where auth_id = ${authId}`,
    );
    expect(rows).toMatchObject({ rows: [{ tries: 5 }] });
  });

  test('another code can be had after 60 s, and ends the first one', async () => {
    const device = new TestDevice(running);
    const email = newEmail();
    const first = await device.requestCode(email);
    const firstCode = await device.readCode(email);
    running.clock.advance({ seconds: 59 });
    const body = { email };
    expect(await device.client.call('getAuthCode', { body, language: 'zh-hant' })).toEqual({
      ok: false,
      failure: { kind: 'service', code: 429, msg: expect.stringContaining('一分鐘') },
    });
    expect(await device.mails(email)).toHaveLength(1);
    running.clock.advance({ seconds: 1 });
    const second = await device.requestCode(email);
    expect(await device.verify(first, firstCode)).toMatchObject(wrongCode);
    expect(await device.verify(second, await device.readCode(email))).toMatchObject({ ok: true });
  });

  test('a code that was asked for before the clock was set back keeps nobody waiting, and is soon no longer valid', async () => {
    const device = new TestDevice(running);
    const email = newEmail();
    running.clock.advance({ hours: 24 * 365 });
    const authId = await device.requestCode(email);
    const code = await device.readCode(email);
    running.clock.advance({ hours: -24 * 365 });
    await device.requestCode(email);
    expect(await device.verify(authId, code)).toMatchObject(wrongCode);
    expect(await device.mails(email)).toHaveLength(2);
  });

  test('asking many times at once sends one mail', async () => {
    const device = new TestDevice(running);
    const email = newEmail();
    const asked = Array.from({ length: 8 }, () => device.client.call('getAuthCode', { body: { email } }));
    const results = await Promise.all(asked);
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    for (const result of results) if (!result.ok) expect(result).toMatchObject(tooMany);
    expect(await device.mails(email)).toHaveLength(1);
  });

  test('the limit is for one device, and not for who has just signed in', async () => {
    const [one, other] = [new TestDevice(running), new TestDevice(running)];
    const email = newEmail();
    await one.signIn(email);
    await one.signIn(email);
    await other.signIn(email);
  });

  test('signing in again ends the device’s former token, and only that', async () => {
    const [device, other] = [new TestDevice(running), new TestDevice(running)];
    const email = newEmail();
    await other.signIn(email);
    const former = await device.signIn(email);
    await device.signIn(email);
    expect(await device.client.call('userInfo')).toMatchObject({ ok: true });
    expect(await other.client.call('userInfo')).toMatchObject({ ok: true });
    device.token = former;
    expect(await device.client.call('userInfo')).toEqual({ ok: false, failure: { kind: 'unauthorized' } });
  });

  test('a device can change hands', async () => {
    const device = new TestDevice(running);
    await device.signIn(newEmail());
    const email = newEmail();
    await device.signIn(email);
    expect(await device.client.call('userInfo')).toMatchObject({ ok: true, data: { email } });
  });

  test('neither the token nor a code is in the database, nor what a code can be worked out from', async () => {
    const device = new TestDevice(running);
    const email = newEmail();
    const authId = await device.requestCode(email);
    const code = await device.readCode(email);
    await device.verify(authId, code);
    const token = device.token ?? '';
    expect(token).toMatch(/^[\w-]{43}$/);
    const { database } = running.service;
    const stored = JSON.stringify([
      await database.execute(sql`select * from devices where device_id = ${device.deviceId}`),
      await database.execute(sql`select * from auth_codes where email = ${email}`),
    ]);
    expect(stored).toContain(device.deviceId);
    expect(stored).toContain(email);
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(`"${code}"`);
    for (const text of [code, `${authId}:${code}`, `${email}:${code}`]) {
      expect(stored).not.toContain(hash('sha256', text, 'hex'));
    }
  });

  test.each([
    ['no address', { email: 'nobody' }],
    ['an address list', { email: 'a@example.com, b@example.com' }],
    ['a header in the address', { email: 'a@example.com\r\nBcc: b@example.com' }],
    ['a device id that is no UUID', { deviceId: 'root:*:x\n' }],
    ['no device id', { deviceId: undefined }],
    ['no device name', { deviceName: undefined }],
    ['an address that is no text', { email: { $ne: null } }],
  ])('a code is not sent with %s', async (_, fields) => {
    const body = { email: newEmail(), deviceId: randomUUID(), deviceName: 'A name', ...fields };
    const reply = await post('/api/get-auth-code', body);
    expect(reply).toMatchObject({ status: 422, body: { code: 422, data: null } });
  });

  test.each([
    ['an id never given', { authId: randomUUID() }],
    ['an id of another form', { authId: "' or true --" }],
    ['five digits', { authCode: '12345' }],
    ['no code', { authCode: undefined }],
    ['a number for the code', { authCode: 123_456 }],
  ])('sign-in is refused with %s', async (_, fields) => {
    const device = { deviceId: randomUUID(), deviceName: 'A name' };
    const body = { authId: randomUUID(), authCode: '123456', isDevice: true, ...device, ...fields };
    expect(await post('/api/auth', body)).toMatchObject({ status: 422, body: { code: 422, data: null } });
  });

  const post = (path: string, body: object) =>
    fetchEnvelope(running.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('a device’s name is kept as harmless text', async () => {
    const deviceId = randomUUID();
    const email = newEmail();
    const deviceName = `  Ann\u0000’s\n\t\u202Ebox\uD800 <b>${'x'.repeat(500)}`;
    const asked = await post('/api/get-auth-code', { email, deviceId, deviceName });
    const { authId } = asked.body.data as { authId: string };
    const authCode = await new TestDevice(running).readCode(email);
    const reply = await post('/api/auth', { authId, authCode, isDevice: true, deviceId, deviceName });
    expect(reply.body.code).toBe(0);
    const found = await running.service.database.execute(
      sql`select name from devices where device_id = ${deviceId}`,
    );
    const name = `Ann’s box <b>${'x'.repeat(500)}`.slice(0, 128);
    expect(found).toMatchObject({ rows: [{ name }] });
  });
});

import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  environmentWithoutTables,
  newEmail,
  otherCode,
  startTestService,
  TestDevice,
  type TestService,
} from './test-service.ts';

/** Two services over one PostgreSQL database are one service. */

let one: TestService;
let two: TestService;
beforeAll(async () => {
  const environment = await environmentWithoutTables('postgresql');
  // At once, on an empty database: one of them makes the tables.
  [one, two] = await Promise.all([startTestService({ environment }), startTestService({ environment })]);
});
afterAll(async () => {
  await one[Symbol.asyncDispose]();
  await two[Symbol.asyncDispose]();
});

test('a code that one sent signs in at the other, and the token works at both', async () => {
  const device = new TestDevice(one);
  const email = newEmail();
  const authId = await device.requestCode(email);
  const atOther = new TestDevice({ url: two.url, service: one.service }, device);
  await atOther.verify(authId, await atOther.readCode(email));
  device.token = atOther.token;
  expect(await device.client.call('userInfo')).toMatchObject({ ok: true, data: { email } });
  expect(await atOther.client.call('userInfo')).toMatchObject({ ok: true, data: { email } });
});

test('tries at both processes count together', async () => {
  const device = new TestDevice(one);
  const email = newEmail();
  const authId = await device.requestCode(email);
  const code = await device.readCode(email);
  const atOther = new TestDevice(two, device);
  await Promise.all(
    Array.from({ length: 20 }, (_, i) => (i % 2 ? device : atOther).verify(authId, otherCode(code, i + 1))),
  );
  expect(await device.verify(authId, code)).toMatchObject({ ok: false, failure: { code: 422 } });
  const rows = await one.service.database.execute(sql`select tries from auth_codes where email = ${email}`);
  expect(rows).toMatchObject({ rows: [{ tries: 5 }] });
});

test('a code that both processes are asked for at once is mailed once', async () => {
  const device = new TestDevice(one);
  const atOther = new TestDevice(two, device);
  const email = newEmail();
  const results = await Promise.all(
    [device, atOther, device, atOther].map((at) => at.client.call('getAuthCode', { body: { email } })),
  );
  expect(results.filter(({ ok }) => ok)).toHaveLength(1);
});

test('a first sign-in at both at once makes one account', async () => {
  const email = newEmail();
  const devices = [new TestDevice(one), new TestDevice(two)];
  const asked: [TestDevice, string, string][] = [];
  for (const device of devices) {
    asked.push([device, await device.requestCode(email), await device.readCode(email)]);
  }
  await Promise.all(asked.map(([device, authId, code]) => device.verify(authId, code)));
  const services = await Promise.all(devices.map((device) => device.client.call('myService')));
  expect(services[0]).toMatchObject({ ok: true });
  expect(services[0]).toEqual(services[1]);
});

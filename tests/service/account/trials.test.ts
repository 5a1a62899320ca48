import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  newEmail,
  newSeededEnvironment,
  signedIn,
  startTestService,
  type TestDevice,
  type TestService,
} from '../test-service.ts';

const seed = { serverGroups: [{ id: 'trial', name: 'Trial', isTrial: true, items: [] }] };

/** When the device's account's trial ends; null if it has none. */
async function trialOf(device: TestDevice): Promise<string | null | undefined> {
  const result = await device.client.call('serverGroups');
  if (!result.ok) throw new Error('no server groups', { cause: result.failure });
  return result.data.items.find(({ isTrial }) => isTrial)?.trialExpiredAt ?? null;
}

describe('a trial', () => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService({ environment: await newSeededEnvironment('postgresql', seed) });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  test('comes with an account, and not again when it was deleted', async () => {
    const email = newEmail();
    const first = await signedIn(running, email);
    expect(await trialOf(first)).toBe('2026-03-04T12:00:00.000Z');
    expect(await first.client.call('deleteSelf')).toMatchObject({ ok: true });
    const again = await signedIn(running, email);
    expect(await again.client.call('userInfo')).toMatchObject({ ok: true });
    expect(await trialOf(again)).toBeNull();
  });

  test('of an account of an earlier version is remembered when it is deleted', async () => {
    const email = newEmail();
    const device = await signedIn(running, email);
    await running.service.database.execute(sql`delete from trials_given`);
    await device.client.call('deleteSelf');
    expect(await trialOf(await signedIn(running, email))).toBeNull();
  });

  test('comes once to a mail box, though its address can be written with other dots', async () => {
    expect(await trialOf(await signedIn(running, 'dotted.person@gmail.com'))).not.toBeNull();
    expect(await trialOf(await signedIn(running, 'dottedperson@googlemail.com'))).toBeNull();
  });

  test('comes to addresses that differ by more than that', async () => {
    expect(await trialOf(await signedIn(running, 'a.person@example.com'))).not.toBeNull();
    expect(await trialOf(await signedIn(running, 'aperson@example.com'))).not.toBeNull();
  });

  test.each(['someone@mailinator.com', 'someone@box.mailinator.com'])(
    'does not come to a throw-away mail box: %s',
    async (email) => {
      expect(await trialOf(await signedIn(running, email))).toBeNull();
    },
  );

  test('is remembered without the address', async () => {
    const email = newEmail();
    await (await signedIn(running, email)).client.call('deleteSelf');
    const { database } = running.service;
    const stored = JSON.stringify([
      await database.execute(sql`select * from trials_given`),
      await database.execute(sql`select * from rate_limits`),
    ]);
    expect(stored).toContain('person');
    expect(stored).not.toContain(email.split('@')[0]);
  });
});

test('an operator who gives none has accounts without', async () => {
  const environment = {
    ...(await newSeededEnvironment('postgresql', seed)),
    WAYMAKER_TRIAL_HOURS: '0',
  };
  await using running = await startTestService({ environment });
  expect(await trialOf(await signedIn(running, newEmail()))).toBeNull();
});

import path from 'node:path';
import { deviceIdleDays } from '#shared/constants.ts';
import { describe, expect, test } from 'vitest';
import { readFile } from 'node:fs/promises';
import { devices } from '../../../src/service/database/schema/account.ts';
import { jobNames } from '../../../src/service/jobs/job-names.ts';
import { grantPlan, newDirectory, newEmail, signedIn, startTestService } from '../test-service.ts';

const signedOut = { ok: false, failure: { kind: 'unauthorized' } };

describe('sessions', () => {
  test('a token that is not used ends, one that is used goes on', async () => {
    await using running = await startTestService();
    const email = newEmail();
    const [used, unused] = [await signedIn(running, email), await signedIn(running, email)];
    running.clock.advance({ hours: 24 * (deviceIdleDays - 1) });
    expect(await used.client.call('userInfo')).toMatchObject({ ok: true });
    running.clock.advance({ hours: 24 });
    expect(await unused.client.call('userInfo')).toEqual(signedOut);
    expect(await used.client.call('userInfo')).toMatchObject({ ok: true });
    await running.service.jobs.doNow(jobNames.idleDevices);
    const { database } = running.service;
    await expect
      .poll(async () => (await database.select().from(devices)).map(({ deviceId }) => deviceId))
      .toEqual([used.deviceId]);
  });

  test('a token that was last used before the clock was set back ends no later than others', async () => {
    await using running = await startTestService();
    running.clock.advance({ hours: 24 * 365 });
    const device = await signedIn(running, newEmail());
    running.clock.advance({ hours: -24 * 365 });
    expect(await device.client.call('userInfo')).toMatchObject({ ok: true });
    running.clock.advance({ hours: 24 * deviceIdleDays });
    expect(await device.client.call('userInfo')).toEqual(signedOut);
  });

  test('all devices of an account are signed out at once, and nobody else’s', async () => {
    const file = path.join(await newDirectory(), 'passwords');
    await using running = await startTestService({
      environment: { WAYMAKER_GATEWAY_PASSWORD_FILE: file },
    });
    const email = newEmail();
    const own = [await signedIn(running, email), await signedIn(running, email)];
    const stranger = await signedIn(running, newEmail());
    await grantPlan(running, email);
    expect(await own[0]?.client.call('revokeDevices')).toEqual({ ok: true, data: null });
    for (const device of own) expect(await device.client.call('userInfo')).toEqual(signedOut);
    expect(await stranger.client.call('userInfo')).toMatchObject({ ok: true });
    const letIn = await readFile(file, 'utf8');
    for (const { deviceId } of own) expect(letIn).not.toContain(deviceId);
    expect(letIn).toContain(stranger.deviceId);
  });
});

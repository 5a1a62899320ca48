import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { apiPath, type ApiCall } from '#shared/api/call.ts';
import { apiCalls, type ApiCallName } from '#shared/api/calls.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/service/config.ts';
import {
  callNames,
  databaseKinds,
  databaseKindsOfRun,
  newEnvironment,
  startTestService,
  type TestService,
} from '../test-service.ts';
import { everythingOf, newPerson, type Level, type Person } from './people.ts';
import { rules } from './rules.ts';

/**
 * The authorisation matrix: every call by everybody, on their own things and on others'. PGlite answers each call for its
 * owners in each run, so that none waits there for the only connection; who is refused does not depend on the database.
 */

const routeLists = path.resolve(import.meta.dirname, '../../fixtures/route-lists');
const levels = [1, 2, 3] as const satisfies Level[];

const basic = (deviceId: string, token: string) => `Basic ${btoa(`${deviceId}:${token}`)}`;

describe.each(databaseKinds)('on %s', (kind) => {
  let running: TestService;
  beforeAll(async () => {
    const environment = await newEnvironment(kind);
    running = await startTestService({ environment: { ...environment, WAYMAKER_ROUTE_LISTS: routeLists } });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  const person = (level: Level) => newPerson(running.service.database, level, running.clock.now());

  /** Asks for what is `of` somebody. */
  async function ask(name: ApiCallName, of: Person, authorization?: string) {
    const call: ApiCall = apiCalls[name];
    const { params, body } = rules[name].asked(of);
    const sender = call.sendsDevice ? { deviceId: randomUUID(), deviceName: 'A device' } : {};
    const reply = await running.service.app.inject({
      method: call.method,
      url: apiPath(call, params),
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      ...(call.method !== 'GET' && { payload: { ...body, ...sender } }),
    });
    return { status: reply.statusCode, data: reply.json<{ data: unknown }>().data, text: reply.body };
  }

  /** What somebody can show who is signed in to no account, or not any more. */
  async function strangersTo(of: Person): Promise<Record<string, string | undefined>> {
    const other = await person(1);
    const key = await readFile(readConfig(running.environment).serviceKeyFile, 'utf8');
    return {
      nobody: undefined,
      'a device that was revoked': basic(of.revoked.deviceId, of.revoked.token),
      'another account’s token': basic(of.deviceId, other.token),
      'a token without its device': basic('', of.token),
      'a token as Bearer': `Bearer ${of.token}`,
      'the operator, by the service’s key': basic(of.deviceId, key.trim()),
      'the operator, by the account’s id': basic(of.deviceId, of.userId),
    };
  }

  test.each(callNames)('%s by every level, on one’s own things', async (name) => {
    const statuses: number[] = [];
    for (const level of levels) {
      const self = await person(level);
      statuses.push((await ask(name, self, basic(self.deviceId, self.token))).status);
    }
    expect(statuses).toEqual(rules[name].own);
  });

  if (!databaseKindsOfRun.includes(kind)) return;

  test.each(callNames)('%s by who is signed in to no account', async (name) => {
    const victim = await person(2);
    const before = await everythingOf(running.service.database, victim);
    for (const [who, authorization] of Object.entries(await strangersTo(victim))) {
      const { status, data } = await ask(name, victim, authorization);
      expect(status === 401, `${who}: ${status}`).toBe(apiCalls[name].auth);
      if (apiCalls[name].auth) expect(data, who).toBeNull();
    }
    expect(await everythingOf(running.service.database, victim)).toEqual(before);
  });

  test.each(callNames)('%s by other accounts neither changes nor tells anything', async (name) => {
    const { own, others } = rules[name];
    const victim = await person(2);
    const before = await everythingOf(running.service.database, victim);
    for (const level of levels) {
      const other = await person(level);
      const { status, text } = await ask(name, victim, basic(other.deviceId, other.token));
      if (others !== null) expect(status, `level ${level}`).toBe(own[level - 1] === 403 ? 403 : others);
      const { userId, email, deviceId, otherDeviceId, memberEmail, order, appId } = victim;
      for (const secret of [userId, email, deviceId, otherDeviceId, memberEmail, order.uuid, appId]) {
        expect(text).not.toContain(secret);
      }
    }
    expect(await everythingOf(running.service.database, victim)).toEqual(before);
  });
});

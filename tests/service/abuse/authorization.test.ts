import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { apiCalls, type ApiCallName } from '#shared/api/calls.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/service/config.ts';
import {
  callNames,
  databaseKindsOfRun,
  newEnvironment,
  startTestService,
  type TestService,
} from '../test-service.ts';
import { askFor, basic } from './ask.ts';
import { everythingOf, newPerson, type Level, type Person } from './people.ts';
import { rules } from './rules.ts';

/** The authorisation matrix: every call by everybody, on their own things and on others'. */

const routeLists = path.resolve(import.meta.dirname, '../../fixtures/route-lists');
const levels = [1, 2, 3] as const satisfies Level[];

describe.each(databaseKindsOfRun)('on %s', (kind) => {
  let running: TestService;
  beforeAll(async () => {
    const environment = await newEnvironment(kind);
    running = await startTestService({ environment: { ...environment, WAYMAKER_ROUTE_LISTS: routeLists } });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  const person = (level: Level) => newPerson(running.service.database, level, running.clock.now());
  const readers = new Map<Level, Promise<Person>>();
  /** Somebody who asks for this; who only reads, does so for all calls. */
  function personFor(name: ApiCallName, level: Level): Promise<Person> {
    if (apiCalls[name].method !== 'GET') return person(level);
    const reader = readers.get(level) ?? person(level);
    readers.set(level, reader);
    return reader;
  }

  const ask = (name: ApiCallName, of: Person, authorization?: string) =>
    askFor(running, name, of, authorization);

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
    for (const level of levels) {
      const self = await personFor(name, level);
      const { status } = await ask(name, self, basic(self.deviceId, self.token));
      expect(status, `level ${level}`).toBe(rules[name].own[level - 1]);
    }
  });

  // What is asked of them here changes nothing of theirs, so that one is enough.
  let victim: Person;
  beforeAll(async () => {
    victim = await person(2);
  });

  test.each(callNames)('%s by who is signed in to no account', async (name) => {
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
    const before = await everythingOf(running.service.database, victim);
    for (const level of levels) {
      const other = await personFor(name, level);
      const { status, text } = await ask(name, victim, basic(other.deviceId, other.token));
      if (others !== null) expect(status, `level ${level}`).toBe(own[level - 1] === 403 ? 403 : others);
      const { userId, email, deviceId, otherDeviceId, memberEmail, order, miniAppId } = victim;
      for (const secret of [userId, email, deviceId, otherDeviceId, memberEmail, order.uuid, miniAppId]) {
        expect(text).not.toContain(secret);
      }
    }
    expect(await everythingOf(running.service.database, victim)).toEqual(before);
  });
});

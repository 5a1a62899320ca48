import { randomUUID } from 'node:crypto';
import type { ApiCall } from '#shared/api/call.ts';
import { apiCalls } from '#shared/api/calls.ts';
import { envelope } from '#shared/api/result.ts';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { callNames, databaseKindsOfRun, startTestService, type TestService } from '../test-service.ts';
import { arbitraryOf, hostileText } from './arbitrary-of.ts';
import { newPerson, type Level, type Person } from './people.ts';
import { rules } from './rules.ts';

/**
 * Every call with whatever its contract nearly allows. `npm run soak` does so for minutes; `FUZZ_SEED` does again what
 * failed with that seed.
 */

const seconds = Number(process.env['FUZZ_SECONDS'] ?? '0');
/** Whose calls they are: a payer has most to lose. */
const levels = casesOf<Level>({ usual: [2], all: [1, 2, 3] });
/** In which at least one run ends. */
const minMsOfCall = 3000;
/** How many runs, or for how long each call is tried. */
const extent =
  seconds === 0
    ? { numRuns: isExhaustive ? 25 : 5 }
    : {
        numRuns: Number.MAX_SAFE_INTEGER,
        interruptAfterTimeLimit: Math.max(
          minMsOfCall,
          (seconds * 1000) / (databaseKindsOfRun.length * callNames.length),
        ),
      };
const seed = Number(process.env['FUZZ_SEED'] ?? Math.trunc(Math.random() * 2 ** 31));
/**
 * What a request may compute, in seconds of this thread's processor time: the clock goes on while others use the
 * machine, and V8's own threads compile and collect what others have left.
 */
const maxCpuSeconds = 1;
/** How often a request is sent that seems to compute more. */
const maxTimes = 3;

describe.each(databaseKindsOfRun)('on %s', (kind) => {
  let running: TestService;
  beforeAll(async () => {
    running = await startTestService({ kind });
  });
  afterAll(() => running[Symbol.asyncDispose]());

  test.each(callNames)(
    '%s answers whatever it gets',
    { timeout: waitLimit(30_000 + Math.max(seconds * 1000, minMsOfCall)) },
    async (name) => {
      const call: ApiCall = apiCalls[name];
      const { database } = running.service;
      const people = await Promise.all(
        levels.map((level) => newPerson(database, level, running.clock.now())),
      );
      const own = (of: Person): Record<string, string> => rules[name].asked(of).params;
      const request = fc.record({
        who: fc.integer({ min: 0, max: levels.length - 1 }),
        /** Undefined: one's own thing. */
        segment: fc.option(
          hostileText.map((raw) => raw.toWellFormed().slice(0, 60)),
          { nil: undefined },
        ),
        query: fc.option(fc.tuple(hostileText, hostileText), { nil: undefined }),
        body: arbitraryOf(call.body),
        deviceId: fc.oneof(fc.uuid(), hostileText),
        deviceName: hostileText,
      });
      await fc.assert(
        fc.asyncProperty(request, async ({ who, segment, query, body, deviceId, deviceName }) => {
          const [level, one] = [levels[who], people[who]];
          if (!level || !one) throw new Error('nobody');
          const [limit = '', cursor = ''] = query?.map((raw) => encodeURIComponent(raw.toWellFormed())) ?? [];
          const sender = call.sendsDevice ? { deviceId, deviceName } : {};
          const cpuSecondsOf = async (person: Person): Promise<number> => {
            const params = own(person);
            const path = call.path.replace(/\{(\w+)\}/g, (_, param: string) =>
              encodeURIComponent(segment ?? params[param] ?? randomUUID()),
            );
            const before = process.threadCpuUsage();
            const reply = await running.service.http.inject({
              method: call.method,
              url: query ? `${path}?limit=${limit}&cursor=${cursor}` : path,
              headers: { authorization: `Basic ${btoa(`${person.deviceId}:${person.token}`)}` },
              ...(call.method !== 'GET' && {
                payload: Object.assign({}, body, sender),
              }),
            });
            const { user, system } = process.threadCpuUsage(before);
            expect(reply.statusCode, reply.body).toBeLessThan(500);
            expect(envelope.safeParse(reply.json()).success).toBe(true);
            return (user + system) / 1e6;
          };
          let cpuSeconds = await cpuSecondsOf(one);
          // What is only done beside it, as a job, does not come each time. Somebody else has not done it yet, either.
          for (let times = 1; cpuSeconds >= maxCpuSeconds && times < maxTimes; times += 1)
            cpuSeconds = Math.min(
              cpuSeconds,
              await cpuSecondsOf(await newPerson(database, level, running.clock.now())),
            );
          expect(cpuSeconds).toBeLessThan(maxCpuSeconds);
        }),
        { ...extent, seed },
      );
    },
  );

  test.each(callNames)('%s answers texts that no database can keep', async (name) => {
    const { database, http } = running.service;
    const person = await newPerson(database, 2, running.clock.now());
    const { params, body }: { params: Record<string, string>; body: unknown } = rules[name].asked(person);
    const call: ApiCall = apiCalls[name];
    const reply = await http.inject({
      method: call.method,
      url: call.path.replace(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param] ?? '')),
      headers: { authorization: `Basic ${btoa(`${person.deviceId}:${person.token}`)}` },
      ...(call.method !== 'GET' && { payload: Object.assign({}, withTexts(body, 'a\0b')) }),
    });
    expect(reply.statusCode, reply.body).toBeLessThan(500);
  });
});

/** The same, with `text` in the place of every text in it. */
function withTexts(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, text));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withTexts(item, text)]));
}

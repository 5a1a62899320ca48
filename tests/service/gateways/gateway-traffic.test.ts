import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, chmodSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import { readConfig } from '../../../src/service/config.ts';
import { jobNames } from '../../../src/service/jobs/job-names.ts';
import { countGatewayTraffic, type TrafficSpool } from '../../../src/service/gateways/gateway-traffic.ts';
import { createLogger } from '../../../src/service/log.ts';
import { openOcservTrafficSpool } from '../../../src/service/gateways/ocserv-traffic-spool.ts';
import { countedSessions } from '../../../src/service/database/schema/gateways.ts';
import {
  databaseKindsOfRun,
  newDirectory,
  newEmail,
  newEnvironment,
  signedIn,
  startTestService,
  TestDevice,
} from '../test-service.ts';
import { newMember, newPayer } from '../group/membership.ts';

let spool: string;
beforeEach(async () => {
  spool = path.join(await newDirectory(), 'traffic');
});

const script = path.resolve(import.meta.dirname, '../../../resources/ocserv/record-traffic');

/** Runs the script as ocserv does when a session ends; `fromUser` and `toUser` are bytes. */
function endSession(userName: string, fromUser: number | string, toUser: number | string): void {
  const variables = {
    REASON: 'disconnect',
    USERNAME: userName,
    STATS_BYTES_IN: String(fromUser),
    STATS_BYTES_OUT: String(toUser),
    STATS_DURATION: '61',
    WAYMAKER_TRAFFIC_SPOOL: spool,
  };
  execFileSync(script, { env: variables });
}

const waiting = () => readdirSync(spool);
const trafficOf = async (device: TestDevice) => {
  const result = await device.client.call('trafficStats');
  return result.ok ? result.data : result;
};
const silent = pino({ level: 'silent' });
const environment = () => ({ WAYMAKER_TRAFFIC_SPOOL: spool });
/** A service that counts when it is asked: else it also does so each minute, between any two steps of a test. */
const startUncounting = (options: Parameters<typeof startTestService>[0]) =>
  startTestService({ ...options, doesJobs: false });

describe('the script that ocserv runs', () => {
  beforeEach(() => mkdir(spool));

  test('leaves one whole record for each session, under a name of its own', () => {
    endSession('somebody', 1, 2);
    endSession('somebody', 1, 2);
    expect(waiting().map((name) => readFileSync(path.join(spool, name), 'utf8'))).toEqual([
      'somebody 1 2 61\n',
      'somebody 1 2 61\n',
    ]);
  });

  test('is given all that ocserv tells, or leaves nothing', () => {
    expect(() => execFileSync(script, { env: { WAYMAKER_TRAFFIC_SPOOL: spool }, stdio: 'ignore' })).toThrow();
    expect(waiting()).toEqual([]);
  });

  test.skipIf(process.getuid?.() !== 0)(
    'a service that is not root reads and removes it, and no others do',
    () => {
      const service = 65_534;
      chownSync(spool, service, service);
      chmodSync(spool, 0o2750);
      endSession('somebody', 1, 2);
      const [name = ''] = waiting();
      const file = statSync(path.join(spool, name));
      expect(file).toMatchObject({ uid: 0, gid: service });
      expect(file.mode & 0o777).toBe(0o640);
      // From inside: what is above belongs to root alone.
      const asService = { uid: service, gid: service, cwd: spool, encoding: 'utf8' } as const;
      expect(execFileSync('cat', [name], asService)).toContain('somebody');
      execFileSync('rm', ['-f', name], asService);
      expect(waiting()).toEqual([]);
    },
  );
});

test('the spool that the service makes gives its group to the records in it', async () => {
  await openOcservTrafficSpool(spool);
  expect(statSync(spool).mode & 0o7777).toBe(0o2750);
});

describe.each(databaseKindsOfRun)('traffic on %s', (kind) => {
  test('what the gateway received the user sent, and a member’s traffic is that of the payer’s plan', async () => {
    await using running = await startUncounting({ kind, environment: environment() });
    const { device: payer } = await newPayer(running);
    const stranger = await signedIn(running, newEmail());
    const { device: member } = await newMember(running, payer);
    expect(await trafficOf(payer)).toEqual({ rated: 0, in: 0, out: 0 });
    endSession(payer.deviceId, 1000, 50_000);
    expect(await trafficOf(payer)).toEqual({ rated: 0, in: 50_000, out: 1000 });
    endSession(payer.deviceId, 1, 2);
    endSession(member.deviceId, 10, 20);
    expect(await trafficOf(payer)).toEqual({ rated: 0, in: 50_022, out: 1011 });
    expect(await trafficOf(member)).toEqual({ rated: 0, in: 50_022, out: 1011 });
    expect(await trafficOf(stranger)).toEqual({ rated: 20e9, in: 0, out: 0 });
    expect(waiting()).toEqual([]);
    expect(await running.service.database.$count(countedSessions)).toBe(0);
  });

  test('it is counted also while nobody asks', async () => {
    await using running = await startTestService({
      kind,
      environment: environment(),
    });
    const device = await signedIn(running, newEmail());
    endSession(device.deviceId, 1, 2);
    await running.service.jobs.doNow(jobNames.traffic(readConfig(running.environment)));
    await expect.poll(waiting).toEqual([]);
    expect(await trafficOf(device)).toMatchObject({ in: 2, out: 1 });
  });

  /** Sessions whose counting is interrupted, and what the service makes of them after a restart. */
  const afterRestart = async (interrupt: (spool: TrafficSpool) => TrafficSpool, sessions: number) => {
    const variables = { ...(await newEnvironment(kind)), ...environment() };
    const first = await startUncounting({ environment: variables });
    const device = await signedIn(first, newEmail());
    for (let count = 0; count < sessions; count += 1) endSession(device.deviceId, 10, 100);
    const real = await openOcservTrafficSpool(spool);
    await expect(
      countGatewayTraffic(first.service.database, interrupt(real), silent, first.clock.now()),
    ).rejects.toThrow('power');
    const left = waiting().length;
    await first.service.close();
    await using second = await startUncounting({ environment: variables });
    const again = new TestDevice(second, device);
    const stats = await trafficOf(again);
    const { database } = second.service;
    await countGatewayTraffic(database, real, silent, second.clock.now());
    expect(await trafficOf(again)).toEqual(stats);
    return { left, stats, waiting: waiting(), noted: await database.$count(countedSessions) };
  };

  test('each session is counted once after a crash between counting and forgetting it', async () => {
    const found = await afterRestart((real) => ({ ...real, remove: powerLoss }), 3);
    expect(found).toEqual({ left: 3, stats: { rated: 20e9, in: 300, out: 30 }, waiting: [], noted: 0 });
  });

  if (isExhaustive)
    test('each session is counted once after a crash between reading and counting it', async () => {
      const found = await afterRestart((real) => {
        let reads = 0;
        return { ...real, read: (name) => ((reads += 1) === 3 ? powerLoss() : real.read(name)) };
      }, 3);
      expect(found).toEqual({ left: 3, stats: { rated: 20e9, in: 300, out: 30 }, waiting: [], noted: 0 });
    });

  test('what is no whole record of a known device is not counted, is logged and goes', async () => {
    let log = '';
    const logger = createLogger('info', { write: (line) => (log += line) });
    await using running = await startUncounting({ kind, environment: environment(), logger });
    const device = await signedIn(running, newEmail());
    const id = device.deviceId;
    const refused = [
      '',
      `${id} 1 2 3`,
      `${id} 1 2\n`,
      `${id} 1 -2 3\n`,
      `${id} 1 2e3 3\n`,
      `${id} 1 0x10 3\n`,
      `${id} 1 9999999999999999 3\n`,
      `${id} 1 2 3\n${id} 1 2 3\n`,
      `${id} 1 2 3\r\n`,
      ` ${id} 1 2 3\n`,
      `${id} 1 2 3\n${'x'.repeat(1_000_000)}`,
      '\0'.repeat(100),
    ];
    const unknown = [
      `${randomUUID()} 1 2 3\n`,
      `root 1 2 3\n`,
      `${id}\0 1 2 3\n`,
      `'; drop table users 1 2 3\n`,
    ];
    for (const content of [...refused, ...unknown]) {
      await writeFile(path.join(spool, randomUUID()), content);
    }
    endSession(id, 1, 2);
    expect(await trafficOf(device)).toEqual({ rated: 20e9, in: 2, out: 1 });
    expect(waiting()).toEqual([]);
    const lines = log.split('\n');
    const count = (text: string) => lines.filter((line) => line.includes(text)).length;
    // What looks like SQL has white space in the place of a name.
    expect(count('record of a session was refused')).toBe(refused.length + 1);
    expect(count('is of no device that is known')).toBe(unknown.length - 1);
    expect(log).not.toContain(id);
  });

  test('nothing else in the spool is read or touched, figures have a limit, and stay without a spool', async () => {
    await using running = await startUncounting({ kind, environment: environment() });
    const device = await signedIn(running, newEmail());
    const secret = path.join(await newDirectory(), 'secret');
    const content = `${device.deviceId} 1 2 3\n`;
    await writeFile(secret, content);
    const [link, directory] = [randomUUID(), randomUUID()];
    await symlink(secret, path.join(spool, link));
    await mkdir(path.join(spool, directory));
    await writeFile(path.join(spool, `.${randomUUID()}`), content);
    await writeFile(path.join(spool, 'README'), content);
    const before = waiting();
    expect(await trafficOf(device)).toEqual({ rated: 20e9, in: 0, out: 0 });
    expect(waiting()).toEqual(before);
    expect(existsSync(secret)).toBe(true);

    // No number of sessions makes an account's traffic more than can be told.
    for (let session = 0; session < 12; session += 1) endSession(device.deviceId, '9'.repeat(15), 0);
    expect(await trafficOf(device)).toEqual({ rated: 20e9, in: 0, out: Number.MAX_SAFE_INTEGER });

    await rm(spool, { recursive: true });
    expect(await trafficOf(device), 'without a spool').toMatchObject({ out: Number.MAX_SAFE_INTEGER });
  });
});

test('two services that share a database and a spool count each session once', async () => {
  const variables = { ...(await newEnvironment('postgresql')), ...environment() };
  await using one = await startUncounting({ environment: variables });
  await using two = await startUncounting({ environment: variables });
  const device = await signedIn(one, newEmail());
  const sessions = 40;
  for (let session = 0; session < sessions; session += 1) endSession(device.deviceId, 1, 10);
  const real = await openOcservTrafficSpool(spool);
  // On a busy machine, one may wait for the others' lock for too long; services count again a minute later.
  const count = async (by: typeof one): Promise<void> => {
    try {
      await countGatewayTraffic(by.service.database, real, silent, by.clock.now());
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      await count(by);
    }
  };
  await Promise.all([count(one), count(two), count(one), count(two)]);
  expect(await trafficOf(device)).toEqual({ rated: 20e9, in: 10 * sessions, out: sessions });
  expect(waiting()).toEqual([]);
});

/** The code of PostgreSQL for lock_not_available (its manual, appendix A). */
const isLockTimeout = (error: unknown): boolean =>
  error instanceof Error &&
  error.cause instanceof Error &&
  'code' in error.cause &&
  error.cause.code === '55P03';

const powerLoss = () => Promise.reject(new Error('power loss'));

import { randomUUID } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { apiCalls, type ApiCallName } from '#shared/api/calls.ts';
import { createApiClient, type ApiClient } from '#shared/api/client.ts';
import type { Language } from '#shared/entities.ts';
import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { inject } from 'vitest';
import { createEntitlements, type PlanPurchase } from '../../src/service/account/entitlements.ts';
import { readConfig } from '../../src/service/config.ts';
import { users } from '../../src/service/database/schema/account.ts';
import { jobNames } from '../../src/service/jobs/job-names.ts';
import { scaledLimits } from '../../src/service/limits/limits.ts';
import type { MailboxMessage } from '../../src/service/mail/mailbox-message.ts';
import type { Seed } from '../../src/service/seed.ts';
import { createService, type Service, type ServiceOptions } from '../../src/service/service.ts';
import { casesOf } from '../lab/runs/thoroughness.ts';
import { copyEmptyDatabase } from './empty-database.ts';
import { createDatabase, emptyServiceDatabase } from './postgresql-server.ts';

/** For what the database itself decides, such as what a restart keeps; PGlite computes ten times as long. */
export const databaseKinds = ['pglite', 'postgresql'] as const;
export type DatabaseKind = (typeof databaseKinds)[number];
/** For everything else. In `npm test`, PGlite answers each call once (database/pglite.test.ts). */
export const databaseKindsOfRun = casesOf<DatabaseKind>({ usual: ['postgresql'], all: databaseKinds });

/** The times of a test, which pass only when the test says so. */
export interface TestClock {
  now: () => Date;
  advance: (by: { seconds?: number; minutes?: number; hours?: number }) => void;
}

export function testClock(): TestClock {
  let milliseconds = Date.parse('2026-03-01T12:00:00Z');
  return {
    now: () => new Date(milliseconds),
    advance({ seconds = 0, minutes = 0, hours = 0 }) {
      milliseconds += ((hours * 60 + minutes) * 60 + seconds) * 1000;
    },
  };
}

export interface TestService extends AsyncDisposable {
  service: Service;
  clock: TestClock;
  /** `http://127.0.0.1:…` */
  url: string;
  environment: NodeJS.ProcessEnv;
}

/** The environment of a service on a new, empty database. */
export async function newEnvironment(
  kind: DatabaseKind,
): Promise<NodeJS.ProcessEnv & { WAYMAKER_DATA_DIR: string }> {
  const environment = await environmentWithoutTables(kind, emptyServiceDatabase);
  if (kind === 'pglite') await copyEmptyDatabase(inject('emptyDataDirectory'), environment.WAYMAKER_DATA_DIR);
  return environment;
}

/** The environment of a service that has to make its tables first, or to bring older ones up to date. */
export async function environmentWithoutTables(
  kind: DatabaseKind,
  copyOf?: string,
): Promise<NodeJS.ProcessEnv & { WAYMAKER_DATA_DIR: string }> {
  const directory = await newDirectory();
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  return {
    WAYMAKER_DATA_DIR: directory,
    WAYMAKER_DEVELOPMENT: '1',
    WAYMAKER_SERVICE_PORT: '0',
    WAYMAKER_MAILBOX_PORT: '0',
    WAYMAKER_CONSOLE_DIR: path.join(directory, 'no-console'),
    WAYMAKER_LOG_LEVEL: 'silent',
    ...(kind === 'postgresql' && {
      DATABASE_URL: await createDatabase(inject('postgresqlSocket'), name, copyOf),
      // Each is a process of the server, which takes a tenth of a second of the processor's time to start.
      WAYMAKER_DATABASE_CONNECTIONS: '4',
      // Two hundred requests wait for one another here: on a slow machine, for longer than users would.
      WAYMAKER_DATABASE_TIMEOUT_SECONDS: '120',
    }),
  };
}

/** What a service that the public reaches by https has instead of the development conveniences. */
export const production: NodeJS.ProcessEnv = {
  WAYMAKER_DEVELOPMENT: '0',
  SMTP_URL: 'smtp://127.0.0.1:1',
  MAIL_FROM: 'Waymaker <codes@example.net>',
};

/** The environment of a service on a new database with this in it. */
export async function newSeededEnvironment(kind: DatabaseKind, seed: Seed): Promise<NodeJS.ProcessEnv> {
  const environment = await newEnvironment(kind);
  const seedFile = path.join(environment.WAYMAKER_DATA_DIR, 'seed.json');
  await writeFile(seedFile, JSON.stringify(seed));
  return { ...environment, WAYMAKER_SEED_FILE: seedFile };
}

/** A directory that is gone when the test run is over. */
export function newDirectory(): Promise<string> {
  return mkdtemp(path.join(inject('scratchDirectory'), 'test-'));
}

/**
 * A service that listens; on a new database unless the environment names one: PostgreSQL's starts ten times as fast.
 */
export async function startTestService(
  options: {
    kind?: DatabaseKind;
    environment?: NodeJS.ProcessEnv;
    clock?: TestClock;
  } & Partial<
    Pick<ServiceOptions, 'limits' | 'streamLimits' | 'requestsPerMinute' | 'logger' | 'doesJobs'>
  > = {},
): Promise<TestService> {
  const clock = options.clock ?? testClock();
  const made = options.environment?.['WAYMAKER_DATA_DIR']
    ? {}
    : await newEnvironment(options.kind ?? 'postgresql');
  const environment = { ...made, ...options.environment };
  const service = await createService({
    config: readConfig(environment),
    now: clock.now,
    logger: options.logger ?? pino({ level: 'silent' }),
    limits: options.limits ?? scaledLimits(10_000),
    requestsPerMinute: options.requestsPerMinute ?? 100_000,
    ...(options.streamLimits && { streamLimits: options.streamLimits }),
    ...(options.doesJobs !== undefined && { doesJobs: options.doesJobs }),
  });
  const { url } = await service.listen();
  return {
    service,
    clock,
    url,
    environment,
    [Symbol.asyncDispose]: () => service.close(),
  };
}

/** Has the service compare its gateways with the database soon; else it does so each minute. */
export function reviewGateways({ service, environment }: TestService): Promise<void> {
  return service.jobs.doNow(jobNames.gatewayAccess(readConfig(environment)));
}

/** A new device of the account with this email. */
export async function signedIn(
  running: Pick<TestService, 'url' | 'service'>,
  email: string,
): Promise<TestDevice> {
  const device = new TestDevice(running);
  await device.signIn(email);
  return device;
}

/** A device as a person has it, with the real API client. */
export class TestDevice {
  readonly deviceId: string;
  readonly client: ApiClient;
  token: string | undefined;
  private readonly mailboxUrl: string;

  /** A new device, or one that exists already. */
  constructor(
    { url, service }: { url: string; service: Pick<Service, 'mailboxUrl'> },
    existing: { deviceId: string; token: string | undefined } = { deviceId: randomUUID(), token: undefined },
  ) {
    this.deviceId = existing.deviceId;
    this.token = existing.token;
    this.mailboxUrl = service.mailboxUrl ?? '';
    this.client = createApiClient({
      baseUrl: url,
      fetch,
      deviceName: 'A test device',
      session: () => ({ deviceId: this.deviceId, token: this.token }),
      endSession: async () => {
        this.token = undefined;
      },
    });
  }

  /** Asks for a code; the id it was made under. */
  async requestCode(email: string, language?: Language): Promise<string> {
    const result = await this.client.call('getAuthCode', { body: { email }, ...(language && { language }) });
    if (!result.ok) throw new Error('no code was sent', { cause: result.failure });
    return result.data.authId;
  }

  async verify(authId: string, authCode: string) {
    const result = await this.client.call('auth', { body: { authId, authCode, isDevice: true } });
    if (result.ok) this.token = result.data.token;
    return result;
  }

  /** Signs in, and asks for what gateways want, as apps do. */
  async signIn(email: string): Promise<string> {
    const authId = await this.requestCode(email);
    const result = await this.verify(authId, await this.readCode(email));
    if (!result.ok) throw new Error('not signed in', { cause: result.failure });
    const asked = await this.client.call('gatewayLogins');
    if (!asked.ok) throw new Error('no passwords of gateways', { cause: asked.failure });
    return result.data.token;
  }

  /** Mails to an address, newest first. */
  async mails(email: string): Promise<MailboxMessage[]> {
    const reply = await fetch(`${this.mailboxUrl}/messages?to=${encodeURIComponent(email)}`);
    return (await reply.json()) as MailboxMessage[];
  }

  /** The newest code, found as a person finds it in a mail: six digits on a line of their own. */
  async readCode(email: string): Promise<string> {
    const [code] = (await this.mails(email)).flatMap(({ text }) => /^\d{6}$/m.exec(text)?.[0] ?? []);
    if (code === undefined) throw new Error(`no mail with a code for ${email}`);
    return code;
  }
}

/** Has an account use a plan from now on, as if it was bought. */
export async function grantPlan(
  { service: { database }, clock }: Pick<TestService, 'service' | 'clock'>,
  email: string,
  plan: Partial<PlanPurchase> = {},
): Promise<void> {
  const entitlements = createEntitlements({ gateways: undefined, now: clock.now });
  const purchase = { service: 'Plan', days: 30, seats: 5, ...plan };
  const source = `order:${randomUUID()}` as const;
  await database.transaction(async (transaction) => {
    const [found] = await transaction.select().from(users).where(eq(users.email, email));
    if (!found) throw new Error(`no account has ${email}`);
    await entitlements.grant(transaction, { userId: found.id, source, purchase });
  });
}

/** A code that is not `code`. */
export function otherCode(code: string, distance = 1): string {
  return String((Number(code) + distance) % 1_000_000).padStart(6, '0');
}

let emails = 0;
/** An address that no other test of the file uses. */
export function newEmail(): string {
  emails += 1;
  return `user${emails}@example.com`;
}

/** The envelope of a reply to a plain request, with its HTTP status. */
export async function fetchEnvelope(url: string, request: RequestInit = {}) {
  const reply = await fetch(url, request);
  return {
    status: reply.status,
    headers: reply.headers,
    body: (await reply.json()) as { code: number; msg: string; data: unknown },
  };
}

export const callNames = Object.keys(apiCalls) as ApiCallName[];

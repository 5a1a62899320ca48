import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest';
import { paymentEventsPath } from '../../../src/service/billing/payment-webhook.ts';
import type { Seed } from '../../../src/service/seed.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import { startProgram, type RunningProcess } from '../service-process.ts';
import { copyEmptyDatabase } from '../empty-database.ts';
import { decide, orderAsGuest, paymentAt } from '../buying.ts';
import {
  databaseKindsOfRun,
  newDirectory,
  newEmail,
  newSeededEnvironment,
  TestDevice,
  type DatabaseKind,
} from '../test-service.ts';
import { startRelay, type Relay, type RelayedRequest } from './relay.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

/**
 * The service and its payment provider as processes, with a relay each way between them. The service is killed at each
 * step that can be seen from outside, and on PostgreSQL in front of each table that settling an order writes.
 */
const titles = { en: 'Family month', 'zh-hans': '家庭版月付', 'zh-hant': '家庭版月付' };
const seed: Seed = {
  products: [{ id: 'family', service: 'Family', titles, days: 30, seats: 5, price: 999 }],
};
const monthMs = 30 * 24 * 3_600_000;
const secret = 'a secret that both processes know';
const patience = { timeout: waitLimit(60_000), interval: 200 };

class World implements AsyncDisposable {
  /** From the service to the provider. */
  readonly toProvider: Relay;
  /** From the provider to the service. */
  readonly toService: Relay;
  readonly environment: NodeJS.ProcessEnv;
  private service: RunningProcess | undefined;
  private starting: Promise<RunningProcess> | undefined;
  private wordgate: RunningProcess | undefined;

  private constructor(toProvider: Relay, toService: Relay, environment: NodeJS.ProcessEnv) {
    this.toProvider = toProvider;
    this.toService = toService;
    this.environment = environment;
  }

  static async start(kind: DatabaseKind): Promise<World> {
    const [toProvider, toService] = [await startRelay(), await startRelay()];
    const world = new World(toProvider, toService, {
      ...(await newSeededEnvironment(kind, seed)),
      WAYMAKER_LIMIT_FACTOR: '1000',
      WAYMAKER_PAYMENTS: 'provider',
      WAYMAKER_PAYMENT_URL: toProvider.url,
      WAYMAKER_PAYMENT_SECRET: secret,
    });
    const wordgateDirectory = await newDirectory();
    await copyEmptyDatabase(inject('emptyDataDirectory'), wordgateDirectory);
    world.wordgate = await startProgram('wordgate-process.ts', {
      WAYMAKER_DEVELOPMENT: '1',
      WAYMAKER_PAYMENT_SECRET: secret,
      WORDGATE_PORT: '0',
      WORDGATE_DATA_DIR: wordgateDirectory,
      WAYMAKER_LOG_LEVEL: 'silent',
      WORDGATE_WEBHOOK_URL: toService.url + paymentEventsPath,
    });
    toProvider.target = world.wordgate.url;
    await world.startService();
    return world;
  }

  async startService(): Promise<void> {
    this.starting = startProgram('index.ts', this.environment);
    this.service = await this.starting;
    this.toService.target = this.service.url;
  }

  async killService(): Promise<void> {
    // It may be at work before it says that it answers.
    await this.starting;
    this.toService.target = undefined;
    await this.service?.kill();
  }

  /** A device as it is after the service has started again. */
  device(existing?: TestDevice): TestDevice {
    if (!this.service) throw new Error('no service runs');
    return new TestDevice(this.service, existing);
  }

  /** Asks the database while no service has it open. */
  async whileKilled<Row extends object>(query: string): Promise<Row[]> {
    const url = this.environment['DATABASE_URL'];
    if (url === undefined) {
      const client = await PGlite.create(join(this.environment['WAYMAKER_DATA_DIR'] ?? '', 'database'));
      const { rows } = await client.query<Row>(query);
      await client.close();
      return rows;
    }
    const client = new Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<Row>(query);
    await client.end();
    return rows;
  }

  /** The relays let everything through again. */
  passEverything(): void {
    for (const relay of [this.toProvider, this.toService]) {
      relay.before = async () => undefined;
      relay.after = async () => undefined;
    }
  }

  async newOrder() {
    const email = newEmail();
    const device = this.device();
    await device.signIn(email);
    const url = this.service?.url ?? '';
    return { device, id: await orderAsGuest(url, { productId: 'family', email }) };
  }

  async openPayment(device: TestDevice, id: string): Promise<string> {
    const body = { payMethod: 'wordgate' } as const;
    const result = await device.client.call('createPayment', { params: { id }, body });
    if (!result.ok) throw new Error('no payment', { cause: result.failure });
    return result.data.extra.pay_url;
  }

  async [Symbol.asyncDispose]() {
    await this.service?.kill();
    await this.wordgate?.kill();
    await this.toProvider[Symbol.asyncDispose]();
    await this.toService[Symbol.asyncDispose]();
  }
}

const expiry = async (device: TestDevice) => {
  const result = await device.client.call('myService');
  if (!result.ok) throw new Error('no answer', { cause: result.failure });
  return result.data.expiredAt ? Date.parse(result.data.expiredAt) : undefined;
};

/** Months that were bought, to be asked soon after. */
const months = async (device: TestDevice) =>
  Math.round((((await expiry(device)) ?? Date.now()) - Date.now()) / monthMs);

const isWebhook = ({ method }: RelayedRequest) => method === 'POST';
const isOpening = ({ method, path }: RelayedRequest) => method === 'POST' && path === '/payments';
const isRefund = ({ path: asked }: RelayedRequest) => asked.endsWith('/refunds');
const isAsking = ({ method }: RelayedRequest) => method === 'GET';

/** Calls `act` at the first request of a kind, and says when that is done. */
function once(
  isMeant: (request: RelayedRequest) => boolean,
  act: (request: RelayedRequest) => Promise<void>,
) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Tests wait for it only after what the failure causes elsewhere.
  promise.catch(() => undefined);
  let isOver = false;
  const hook = async (request: RelayedRequest) => {
    if (isOver || !isMeant(request)) return;
    isOver = true;
    try {
      await act(request);
      resolve();
    } catch (error) {
      reject(error);
      // The relay goes no further then.
      throw error;
    }
  };
  return { hook, done: promise };
}

/** What settling an order reads and writes, one after the other; before the last one, most is to be undone. */
const tables = casesOf({ usual: ['grants'], all: ['payment_events', 'orders', 'users', 'grants'] });

// What PGlite keeps when its process is killed, restart.test.ts says.
describe.each(databaseKindsOfRun)('with a service on %s', (kind) => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(kind);
  });
  afterAll(() => world[Symbol.asyncDispose]());
  afterEach(() => world.passEverything());

  /** Whoever asks now, in every way, gets one month. */
  async function expectOneMonth(device: TestDevice, id: string): Promise<void> {
    await expect.poll(() => months(device), patience).toBe(1);
    const confirm = () => device.client.call('confirmPayment', { body: { order_id: id } });
    expect(await Promise.all([confirm(), confirm()])).toMatchObject([{ ok: true }, { ok: true }]);
    expect(await months(device)).toBe(1);
  }

  // First, because reports that other tests lost would come between.
  if (isExhaustive)
    test('webhooks that are sent late, twice and out of order, or many at once, settle once', async () => {
      const { device, id } = await world.newOrder();
      const payUrl = await world.openPayment(device, id);
      const caught: RelayedRequest[] = [];
      world.toService.before = async (request) => {
        caught.push(request);
        throw new Error('lost on the way');
      };
      await decide(payUrl, 'paid');
      await expect.poll(() => caught.length, patience).toBeGreaterThan(0);
      await decide(payUrl, 'disputed');
      const stateOf = ({ body }: RelayedRequest) =>
        (JSON.parse(body.toString()) as { payment: { state: string } }).payment.state;
      await expect.poll(() => new Set(caught.map(stateOf)), patience).toEqual(new Set(['paid', 'disputed']));
      await decide(payUrl, 'paid');
      const reports = () => new Set(caught.map(({ body }) => body.toString())).size;
      await expect.poll(reports, patience).toBe(3);
      expect(await months(device)).toBe(0);
      // The newest attempts, of all three events, in any order.
      const late = caught.toReversed();
      // A service that is too busy says so, and the provider sends the report again.
      const deliver = async (request: RelayedRequest): Promise<number> => {
        const { status } = await world.toService.send(request);
        return status === 503 ? await deliver(request) : status;
      };
      const statuses = await Promise.all(
        Array.from({ length: isExhaustive ? 200 : 50 }, (_, i) => deliver(late[i % late.length] ?? late[0]!)),
      );
      expect(new Set(statuses)).toEqual(new Set([200]));
      world.toService.before = async () => undefined;
      await expectOneMonth(device, id);
    });

  if (isExhaustive)
    test('killed after it took a webhook, before the provider hears of it', async () => {
      const { device, id } = await world.newOrder();
      const payUrl = await world.openPayment(device, id);
      const killed = once(isWebhook, async () => {
        await world.killService();
        throw new Error('killed');
      });
      world.toService.after = killed.hook;
      await decide(payUrl, 'paid');
      await expect(killed.done).rejects.toThrow('killed');
      await world.startService();
      await expectOneMonth(world.device(device), id);
    });

  if (isExhaustive)
    test('killed before the provider knows of the payment, it opens one later', async () => {
      const { device, id } = await world.newOrder();
      const killed = once(isOpening, async () => {
        await world.killService();
        throw new Error('killed');
      });
      world.toProvider.before = killed.hook;
      await expect(world.openPayment(device, id)).rejects.toThrow('no payment');
      await expect(killed.done).rejects.toThrow('killed');
      await world.startService();
      const again = world.device(device);
      await decide(await world.openPayment(again, id), 'paid');
      await expectOneMonth(again, id);
    });

  test('killed before it hears where to pay, the same payment is found again', async () => {
    const { device, id } = await world.newOrder();
    const killed = once(isOpening, () => world.killService());
    world.toProvider.after = killed.hook;
    await expect(world.openPayment(device, id)).rejects.toThrow('no payment');
    await killed.done;
    await world.startService();
    const again = world.device(device);
    await decide(await world.openPayment(again, id), 'paid');
    await expectOneMonth(again, id);
  });

  // In `npm test`, the steps themselves are met, below. More moments: `KILL_MOMENTS=0,3,10,30`.
  const moments = process.env['KILL_MOMENTS']?.split(',').map(Number) ?? (isExhaustive ? [0, 3, 10] : []);
  test.each(moments)('killed %i ms after a webhook has come', async (wait) => {
    const { device, id } = await world.newOrder();
    const payUrl = await world.openPayment(device, id);
    const killed = once(isWebhook, async (request) => {
      const sent = world.toService.send(request).catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, wait));
      await world.killService();
      await sent;
    });
    world.toService.before = killed.hook;
    await decide(payUrl, 'paid');
    await killed.done;
    await world.startService();
    await expectOneMonth(world.device(device), id);
  });

  if (isExhaustive)
    test('killed while it asks the provider for a user who confirms', async () => {
      const { device, id } = await world.newOrder();
      const payUrl = await world.openPayment(device, id);
      world.toService.before = () => Promise.reject(new Error('webhooks are lost'));
      await decide(payUrl, 'paid');
      const killed = once(isAsking, () => world.killService());
      world.toProvider.after = killed.hook;
      const confirmed = await device.client.call('confirmPayment', { body: { order_id: id } });
      expect(confirmed.ok).toBe(false);
      await killed.done;
      await world.startService();
      expect(await months(world.device(device))).toBe(0);
      await world.device(device).client.call('confirmPayment', { body: { order_id: id } });
      await expectOneMonth(world.device(device), id);
    });

  if (isExhaustive)
    test('an account that is gone gets its money back once, whenever the service is killed', async () => {
      // Of its own: reports that other tests lost would come between.
      await using own = await World.start(kind);
      const { device, id } = await own.newOrder();
      const payUrl = await own.openPayment(device, id);
      const stateOfPayment = async () => {
        const payment = await paymentAt(payUrl);
        return payment.ok ? payment.data.state : undefined;
      };
      /**
       * What is known of the order. What was tried is tried again soon; the next process need not wait that long.
       */
      const orderNow = () =>
        own.whileKilled<{ due: boolean; back: boolean }>(
          `update orders set payment_check_at = now() where id = ${id}
          returning refund_due_at is not null as due, reversed_at is not null as back`,
        );
      expect(await device.client.call('deleteSelf')).toMatchObject({ ok: true });
      const reported = once(isWebhook, async () => own.killService());
      own.toService.after = reported.hook;
      await decide(payUrl, 'paid');
      await reported.done;
      expect(await orderNow()).toEqual([{ due: true, back: false }]);

      // Before the provider hears of it.
      const unheard = once(isRefund, async () => {
        await own.killService();
        throw new Error('killed');
      });
      own.toProvider.before = unheard.hook;
      await own.startService();
      await expect(unheard.done).rejects.toThrow('killed');
      expect(await stateOfPayment()).toBe('paid');
      expect(await orderNow()).toEqual([{ due: true, back: false }]);

      // Before the service hears that it is done; nobody reports it either.
      own.toService.before = () => Promise.reject(new Error('webhooks are lost'));
      const unread = once(isRefund, () => own.killService());
      own.toProvider.after = unread.hook;
      await own.startService();
      await unread.done;
      expect(await stateOfPayment()).toBe('refunded');
      expect(await orderNow()).toEqual([{ due: true, back: false }]);

      // The provider reports it until somebody has heard it.
      own.passEverything();
      const heard = once(isWebhook, async () => own.killService());
      own.toService.after = heard.hook;
      await own.startService();
      await heard.done;
      expect(await orderNow()).toEqual([{ due: true, back: true }]);
      expect(await stateOfPayment()).toBe('refunded');
    });

  test.each(kind === 'postgresql' ? tables : [])('killed in front of %s', async (table) => {
    const { device, id } = await world.newOrder();
    const payUrl = await world.openPayment(device, id);
    const client = new Client({ connectionString: world.environment['DATABASE_URL'] });
    await client.connect();
    await client.query('begin');
    await client.query(`lock table ${table} in access exclusive mode`);
    const waiting = async () => {
      const { rows } = await client.query<{ pid: number }>(
        `select pid from pg_locks where not granted and relation = $1::regclass`,
        [table],
      );
      return rows.length;
    };
    const killed = once(isWebhook, async (request) => {
      const sent = world.toService.send(request).catch(() => undefined);
      await expect.poll(waiting, patience).toBeGreaterThan(0);
      await world.killService();
      await sent;
    });
    world.toService.before = killed.hook;
    await decide(payUrl, 'paid');
    await killed.done;
    await client.query('rollback');
    // What the killed process had begun comes to nothing.
    const others = `select count(*)::int as count from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    const sessions = async () => (await client.query<{ count: number }>(others)).rows[0]?.count;
    await expect.poll(sessions, patience).toBe(0);
    const { rows } = await client.query('select paid_at from orders where id = $1', [id]);
    expect(rows).toEqual([{ paid_at: null }]);
    await client.end();
    await world.startService();
    const again = world.device(device);
    await expect.poll(() => months(again), patience).toBe(1);
    await again.client.call('confirmPayment', { body: { order_id: id } });
    expect(await months(again)).toBe(1);
  });
});

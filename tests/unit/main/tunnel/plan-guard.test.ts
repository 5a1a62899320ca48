import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ApiClient } from '#shared/api/client.ts';
import { createServiceClock } from '#shared/api/service-clock.ts';
import type { ServerGroup, Service } from '#shared/entities.ts';
import { createAccountPlan } from '../../../../src/main/tunnel/account-plan.ts';
import { createHelperClient, type HelperClient } from '../../../../src/main/tunnel/helper-client.ts';
import { createPlanGuard, type PlanGuard } from '../../../../src/main/tunnel/plan-guard.ts';
import { startTestHelper, type TestHelper } from '../support/helper.ts';
import { createTestFile } from '../support/key-value-file.ts';
import { createTestLog } from '../support/log.ts';
import { connected, destinationOf, gateway } from '../support/tunnel-states.ts';

const hour = 60 * 60_000;

const at = (ms: number) => new Date(ms).toISOString();
const trial = (until: number): ServerGroup => ({
  id: 'trial',
  name: 'Trial',
  isTrial: true,
  trialExpiredAt: at(until),
  items: [{ id: 'one', level: 1, servers: [{ serverId: 'one', name: 'One', domain: gateway.host }] }],
});
const plan = (expiredAt: number | null): Service => ({
  serviceId: 'plan',
  expiredAt: expiredAt === null ? null : at(expiredAt),
  seats: 1,
  service: 'Family',
});

let helper: TestHelper;
let client: HelperClient;
let guard: PlanGuard;

beforeEach(async () => {
  helper = await startTestHelper();
});

afterEach(async () => {
  vi.useRealTimers();
  guard.close();
  client.close();
  await helper[Symbol.asyncDispose]();
});

/** A guard of a service that can be changed, or be out of reach (undefined). */
async function setUp(
  first: { groups: ServerGroup[]; service: Service } | undefined,
  clock = createServiceClock(),
) {
  const told = { now: first };
  const { log } = createTestLog();
  const api: ApiClient = {
    call(name) {
      const { now } = told;
      if (!now) return Promise.resolve({ ok: false, failure: { kind: 'network' } });
      const data = name === 'serverGroups' ? { items: now.groups } : now.service;
      return Promise.resolve({ ok: true, data: data as never });
    },
  };
  const file = createTestFile();
  const account = createAccountPlan({
    file,
    client: api,
    isSignedIn: () => true,
    clock,
    log,
  });
  client = createHelperClient({ socketPath: helper.socketPath, version: '0.1.0', log });
  const ended: string[] = [];
  const cameBack = vi.fn();
  guard = createPlanGuard({
    plan: account,
    helper: client,
    clock,
    destinations: { at: destinationOf },
    end: (reason) => ended.push(reason),
    comeBack: cameBack,
    log,
  });
  await client.ready;
  const deadlines = () =>
    helper.calls
      .filter(({ method }) => method === 'setDeadline')
      .map(({ params }) => (params as { deadline: unknown }).deadline);
  return { told, account, file, api, ended, cameBack, deadlines };
}

describe('a tunnel', () => {
  test('that is up gets the deadline of the trial, and another one when a plan is bought', async () => {
    const [trialEnd, planEnd] = [Date.now() + hour, Date.now() + 100 * hour];
    const { told, account, deadlines } = await setUp({ groups: [trial(trialEnd)], service: plan(null) });
    helper.set(connected);
    await vi.waitFor(() => expect(deadlines()).toEqual([{ at: trialEnd, reason: 'trial-ended' }]));
    told.now = { groups: [trial(trialEnd)], service: plan(planEnd) };
    await account.refresh();
    await vi.waitFor(() => expect(deadlines().at(-1)).toEqual({ at: planEnd, reason: 'plan-ended' }));
    await account.refresh();
    expect(deadlines()).toHaveLength(2);
  });

  test('that was made with its deadline is not told it again, but after a restart of the helper', async () => {
    const deadline = { at: Date.now() + hour, reason: 'trial-ended' } as const;
    const { account, deadlines } = await setUp({ groups: [trial(deadline.at)], service: plan(null) });
    await account.refresh();
    expect(guard.deadline(destinationOf(gateway))).toEqual(deadline);
    helper.set(connected);
    await vi.waitFor(() => expect(client.state()).toEqual(connected));
    expect(deadlines()).toEqual([]);
    await helper.stop();
    await vi.waitFor(() => expect(client.state()).toMatchObject({ state: 'invalid' }));
    await helper.start();
    await vi.waitFor(() => expect(deadlines()).toEqual([deadline]));
  });

  test('ends by the service’s clock, however wrong that of this computer is', async () => {
    const clock = createServiceClock({ offset: -2 * hour });
    const trialEnd = clock.now() + hour;
    const { account, deadlines } = await setUp({ groups: [trial(trialEnd)], service: plan(null) }, clock);
    await account.refresh();
    helper.set(connected);
    await vi.waitFor(() => expect(deadlines()).toEqual([{ at: trialEnd + 2 * hour, reason: 'trial-ended' }]));
  });

  test.each([
    ['trial-ended', plan(null)],
    ['plan-ended', plan(Date.now() - hour)],
  ] as const)('ends when the service says that it is over: %s', async (reason, service) => {
    const { ended } = await setUp({ groups: [trial(Date.now() - hour)], service });
    helper.set(connected);
    await vi.waitFor(() => expect(ended[0]).toBe(reason));
  });

  /** The computer has slept, and the helper has ended the tunnel before anybody could ask for the plan. */
  async function wakeToEnd() {
    vi.useFakeTimers({ now: Date.now() + 100_000, toFake: ['Date'] });
    const over = { state: 'disconnected', reason: 'plan-ended' } as const;
    helper.set(over);
    await vi.waitFor(() => expect(client.state()).toEqual(over));
  }

  test('comes back that was ended with a plan which had been renewed meanwhile', async () => {
    const groups = [trial(Date.now() - hour)];
    const { told, account, cameBack } = await setUp({ groups, service: plan(Date.now() + 60_000) });
    await account.refresh();
    helper.set(connected);
    await vi.waitFor(() => expect(client.state()).toEqual(connected));
    told.now = { groups, service: plan(Date.now() + 100 * hour) };
    await wakeToEnd();
    await vi.waitFor(() => expect(cameBack).toHaveBeenCalledTimes(1));
    await account.refresh();
    expect(cameBack).toHaveBeenCalledTimes(1);
  });

  test('comes back at once that was ended with a plan which the service had just renewed', async () => {
    const groups = [trial(Date.now() - hour)];
    const { told, account, cameBack } = await setUp({ groups, service: plan(Date.now() + 60_000) });
    await account.refresh();
    helper.set(connected);
    await vi.waitFor(() => expect(client.state()).toEqual(connected));
    told.now = { groups, service: plan(Date.now() + 100 * hour) };
    await account.refresh();
    helper.set({ state: 'disconnected', reason: 'plan-ended' });
    await vi.waitFor(() => expect(cameBack).toHaveBeenCalledTimes(1), { timeout: 10_000 });
  });

  test('comes back neither without another plan, nor long after it has ended', async () => {
    const usual = { groups: [trial(Date.now() - hour)], service: plan(Date.now() + 60_000) };
    const { told, account, cameBack } = await setUp(usual);
    await account.refresh();
    helper.set(connected);
    await vi.waitFor(() => expect(client.state()).toEqual(connected));
    await wakeToEnd();
    await account.refresh();
    vi.setSystemTime(Date.now() + hour);
    told.now = { ...usual, service: plan(Date.now() + 100 * hour) };
    await account.refresh();
    expect(cameBack).not.toHaveBeenCalled();
  });

  test('stays as it is while the service cannot be reached', async () => {
    const { account, deadlines, ended } = await setUp(undefined);
    helper.set(connected);
    await vi.waitFor(() => expect(client.state()).toEqual(connected));
    await account.refresh();
    expect([deadlines(), ended]).toEqual([[], []]);
  });
});

describe('a gateway', () => {
  const usable = { groups: [trial(Date.now() + hour)], service: plan(null) };

  test('is usable only if the service lists it, and not after the end', async () => {
    const { told, account } = await setUp(usable);
    expect(await account.refusal(gateway)).toBeUndefined();
    expect(await account.refusal({ ...gateway, port: 444 })).toBe('server-removed');
    expect(await account.refusal(gateway, '/')).toBeUndefined();
    expect(await account.refusal(gateway, '/other')).toBe('server-removed');
    expect(await account.refusal({ host: 'evil.example', port: 443 })).toBe('server-removed');
    told.now = { groups: [trial(Date.now() - hour)], service: plan(null) };
    await account.refresh();
    expect(await account.refusal(gateway)).toBe('trial-ended');
  });

  test('that the page alone has heard of is asked for at the service', async () => {
    const { told, account } = await setUp(usable);
    told.now = { ...usable, groups: [] };
    await account.refresh();
    vi.useFakeTimers({ now: Date.now() + 10_000, toFake: ['Date'] });
    told.now = usable;
    expect(await account.refusal(gateway)).toBeUndefined();
    vi.useRealTimers();
  });

  test('is the one of the last list when the service cannot be reached, also after a restart', async () => {
    const { told, account, file, api } = await setUp(usable);
    await account.refresh();
    told.now = undefined;
    const next = createAccountPlan({
      file,
      client: api,
      isSignedIn: () => true,
      clock: createServiceClock(),
      log: createTestLog().log,
    });
    expect(await next.refusal(gateway)).toBeUndefined();
    expect(await next.refusal({ host: 'evil.example', port: 443 })).toBe('server-removed');
    next.forget();
    const another = createAccountPlan({
      file,
      client: api,
      isSignedIn: () => true,
      clock: createServiceClock(),
      log: createTestLog().log,
    });
    expect(await another.refusal(gateway)).toBe('unknown');
  });

  test('is usable while the plan itself is not known, as in specification §4', async () => {
    const { account } = await setUp(undefined);
    const listed = account.watch({
      call: () => Promise.resolve({ ok: true, data: { items: [trial(Date.now() - hour)] } as never }),
    });
    await listed.call('serverGroups');
    expect(await account.refusal(gateway)).toBeUndefined();
  });
});

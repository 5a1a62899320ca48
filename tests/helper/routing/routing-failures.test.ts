import { describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { addresses, names, pools } from '../../lab/network/addresses.ts';
import { watchLeaks, type LeaksWhile } from '../../lab/packets/watch-leaks.ts';
import { words } from '../../lab/runs/process.ts';
import { casesOf, isExhaustive } from '../../lab/runs/thoroughness.ts';
import type { FailurePlan } from '../support/failures/failing-programs.ts';
import { labWithFailingPrograms } from '../support/failures/lab-with-failing-programs.ts';
import { proxyGone } from '../support/helper-lab.ts';
import type { TestClient } from '../support/callers/test-client.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

const { net, programs } = labWithFailingPrograms({ isPutBack: false });

const routings = {
  global: { mode: 'global', localNetwork: false },
  local: { mode: 'global', localNetwork: true },
  pac: { mode: 'pac', routeDomains: [names.where], blockedDomains: [] },
} as const satisfies Record<string, Routing>;
type Way = keyof typeof routings;

/** The network, but for the order of routing rules of equal rank, and what each connection has of its own. */
async function network(): Promise<string> {
  const snapshot = await net.lab.user.snapshot();
  return snapshot
    .replace(/(?:^\d+:\tfrom .*\n)+/gm, (rules) => rules.split('\n').sort().join('\n'))
    .replace(/^(# Waymaker tunnel) .*/m, '$1')
    .replace(/^\d+: wm0/gm, 'wm0');
}

/** All that a routing mode has set up: the network, the PAC file, who serves it; and what the client was told. */
async function wayInForce({ states }: TestClient) {
  const state = states.at(-1);
  if (state?.state !== 'connected') throw new Error(`not connected: ${JSON.stringify(state)}`);
  const { routing } = state;
  const pacUrl = routing.mode === 'pac' ? routing.proxy?.pacUrl : undefined;
  // One that was killed may be there for a moment.
  await expect.poll(() => net.proxies()).toHaveLength(routing.mode === 'pac' ? 1 : 0);
  const { stdout: pacFile, code } = await net.lab.user.exec(
    pacUrl === undefined ? ['true'] : words(`curl --silent --fail --noproxy * ${pacUrl}`),
  );
  expect(code, `${pacUrl} ${net.log().slice(-3000)}`).toBe(0);
  return { routing, pacFile, network: await network() };
}

const routeTo = (client: TestClient, way: Way) =>
  client.call('setRouting', { routing: routings[way] }).then(
    () => 'done' as const,
    () => 'failed' as const,
  );

/** Routes to and fro once; resolves to what is in force then, and how many changes the first way takes. */
async function rehearse(client: TestClient, from: Way, to: Way) {
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  await programs.plan(undefined);
  expect(await routeTo(client, to)).toBe('done');
  const { length: count } = await programs.changes();
  const target = await wayInForce(client);
  expect(await routeTo(client, from)).toBe('done');
  return { count, target, former: await wayInForce(client) };
}

/** Each of so many changes, one after the other. */
const numbersOf = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index + 1);

const switches: [Way, Way][] = [
  ['global', 'pac'],
  ['pac', 'global'],
  ['global', 'local'],
];

if (isExhaustive)
  test.each(switches)(
    'a switch from %s to %s in which a program fails once is not made at all, and can be made again',
    { timeout: waitLimit(120_000) },
    async (from, to) => {
      const client = await net.connect({ routing: routings[from], killSwitch: true });
      const { count, target, former } = await rehearse(client, from, to);
      expect(count).toBeGreaterThan(0);
      for (const number of numbersOf(count)) {
        const how = number % 2 === 0 ? 'dies-halfway' : 'refuses';
        await programs.plan({ first: number, last: number, how });
        const outcome = await routeTo(client, to);
        const changes = await programs.changes();
        await programs.plan(undefined);
        const message = `change ${number} of ${count} ${how}: ${changes.join('; ')}`;
        expect(changes.length, message).toBeGreaterThanOrEqual(number);
        expect(outcome, message).toBe('failed');
        expect(await wayInForce(client), message).toEqual(former);
      }
      expect(await routeTo(client, to)).toBe('done');
      expect(await wayInForce(client)).toEqual(target);
      expect(await routeTo(client, from)).toBe('done');
      expect(await wayInForce(client)).toEqual(former);
      await client.call('disconnect', {});
      expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
    },
  );

/** What programs that begin to fail in the middle of a switch, and go on failing, leave behind. */
async function failForGood(client: TestClient, to: Way, plan: FailurePlan, leaksWhile: LeaksWhile) {
  await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
  const seen = client.states.length;
  let outcome: Awaited<ReturnType<typeof routeTo>> | undefined;
  const leaks = await leaksWhile(async (marker) => {
    await programs.plan(plan);
    outcome = await routeTo(client, to);
    if (client.states.at(-1)?.state !== 'connected') {
      const where = ({ reason }: { reason?: string }) => reason === 'configuration-failed';
      await client.until('disconnected', { seen, where });
    }
    await net.lab.user.probe.http4(marker);
  });
  await programs.plan(undefined);
  return { answer: outcome, isLost: client.states.at(-1)?.state !== 'connected', leaks: leaks.length };
}

/** Once, which can be taken back; from then on, which cannot. */
const once: FailurePlan = { first: 4, last: 4, how: 'refuses' };
const halfway: FailurePlan = { first: 4, how: 'refuses' };
const lastingFailures = casesOf<FailurePlan>({
  usual: [once, halfway],
  all: [
    once,
    // Before anything was changed.
    { first: 1, how: 'refuses' },
    halfway,
    // All can be taken away again.
    { first: 1, how: 'refuses', program: 'ip', onlyAdditions: true },
    { first: 2, how: 'dies-halfway', program: 'ip' },
    { first: 1, how: 'refuses', program: 'nft' },
  ],
});

const held = { killSwitch: true, from: 'global', to: 'pac' } as const;
const freed = { killSwitch: false, from: 'pac', to: 'global' } as const;
const lastingSwitches = casesOf<{ killSwitch: boolean; from: Way; to: Way }>({
  usual: [held],
  all: [held, freed, { ...held, killSwitch: false }, { ...freed, killSwitch: true }],
});

describe.each(lastingSwitches)('with kill switch: $killSwitch', ({ killSwitch, from, to }) => {
  test(
    `a switch from ${from} to ${to} in which programs fail is not made, or ends the tunnel`,
    { timeout: waitLimit(120_000) },
    async () => {
      const { user } = net.lab;
      const leaksWhile = await watchLeaks(net.lab, {
        send: (marker) => user.probe.stream(marker, 5),
        filter: `src host ${addresses.user.ipv4} or src host ${addresses.user.ipv6}`,
      });
      let client = await net.connect({ routing: routings[from], killSwitch });
      await client.until('connected', { where: ({ transport }) => transport === 'dtls' });
      const former = await wayInForce(client);
      const outcomes = new Set<string>();
      for (const plan of lastingFailures) {
        if (client.states.at(-1)?.state !== 'connected')
          client = await net.connect({ routing: routings[from], killSwitch });
        const { answer, isLost, leaks } = await failForGood(client, to, plan, leaksWhile);
        const message = `${JSON.stringify(plan)} ${net.log().slice(-3000)}`;
        expect(answer, message).toBe('failed');
        outcomes.add(isLost ? 'ended' : 'not made');
        // Without the kill switch a tunnel that is given up holds nothing back.
        if (from === 'global' && (killSwitch || !isLost)) expect(leaks, message).toBe(0);
        if (!isLost) {
          expect(await wayInForce(client), message).toMatchObject({ network: former.network });
          continue;
        }
        if (killSwitch) expect(await user.seenFrom('closed'), message).toBeUndefined();
        else if (plan.onlyAdditions) expect(await user.snapshot(), message).toBe(net.initialSnapshot);
        await client.call('disconnect', {});
        await proxyGone(net);
        expect(await user.snapshot(), message).toBe(net.initialSnapshot);
        // Whose silence said that it was closed is heard again.
        expect(await user.seenFrom('closed'), message).toBe(addresses.user.ipv4);
      }
      await client.call('disconnect', {});
      expect(await user.snapshot()).toBe(net.initialSnapshot);
      // Few of them need not reach both: which command is the fourth depends on what else has to be done.
      if (isExhaustive) expect([...outcomes].sort()).toEqual(['ended', 'not made']);
    },
  );
});

const either = [{ killSwitch: false }, { killSwitch: true }];

if (isExhaustive)
  describe.each(['global', 'pac'] as const)('a new configuration of a tunnel that routes by %s', (way) => {
    test(
      'in which a program fails once is followed by another attempt that sets all of it',
      { timeout: waitLimit(120_000) },
      async () => {
        let pool: 'first' | 'second' = 'first';
        /** The gateway comes back with other addresses, and the tunnel with them. */
        const renew = async (number: number) => {
          const client = await net.connect({ routing: routings[way], killSwitch: false });
          const seen = client.states.length;
          pool = pool === 'first' ? 'second' : 'first';
          await net.lab.gateway.restart({ pool: pools[pool] });
          await client.until('connecting', { seen, where: ({ phase }) => phase === 'authenticating' });
          const session = await net.signIn();
          const how = number % 2 === 0 ? 'dies-halfway' : 'refuses';
          await programs.plan({ first: number, last: number, how });
          await client.call('provideSession', { session });
          await client.until('connected', {
            seen,
            after: 'connecting',
            where: ({ transport }) => transport === 'dtls',
          });
          const changes = await programs.changes();
          await programs.plan(undefined);
          const failed = client.states
            .slice(seen)
            .filter((state) => 'phase' in state && state.phase === 'configuring');
          const inForce = await wayInForce(client);
          await client.call('disconnect', {});
          expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
          client[Symbol.dispose]();
          return { changes, attempts: failed.length, network: inForce.network };
        };
        const unfailing = { second: await renew(0), first: await renew(0) };
        const { length: count } = unfailing.second.changes;
        for (const number of numbersOf(count)) {
          const now = await renew(number);
          const message = `change ${number}: ${now.changes.join('; ')}`;
          expect(now.attempts, message).toBe(2);
          const expected = unfailing[pool];
          expect(now, message).toMatchObject({ network: expected.network });
        }
      },
    );

    test.each(either)(
      'that is refused for good ends it, but for the kill switch (%o)',
      async ({ killSwitch }) => {
        const client = await net.connect({ routing: routings[way], killSwitch });
        const seen = client.states.length;
        await programs.plan({ first: 1, how: 'refuses', onlyAdditions: true });
        await net.killEngines();
        if (killSwitch) {
          await client.until('connecting', { seen, where: ({ attempt }) => attempt === 5 });
          if (way === 'global') expect(await net.lab.user.probe.http4('closed')).toBeUndefined();
          await programs.plan(undefined);
          await client.until('connected', { seen, after: 'connecting' });
          await client.call('disconnect', {});
        } else {
          await client.until('disconnected', {
            seen,
            where: ({ reason }) => reason === 'configuration-failed',
          });
        }
        expect(await net.lab.user.snapshot()).toBe(net.initialSnapshot);
      },
    );
  });

import { describe, expect, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { mutants } from './model/mutants.ts';
import { run, type Scenario } from './model/scenario.ts';

/** Scenarios that together notice every mistake; without one, nothing is found. */

const everything: Routing = { mode: 'global', localNetwork: false };
const some: Routing = {
  mode: 'ip',
  policy: 'include',
  routeIps: ['203.0.113.0/24', '2001:db8:aaaa::/48'],
  localNetwork: false,
};
const others: Routing = { ...some, policy: 'exclude', localNetwork: true };

const base: Scenario = {
  hasIpv6: true,
  hasPolicies: true,
  othersPermit: true,
  killSwitch: true,
  isReaddressed: true,
  routings: [everything],
  act: 'nothing',
  end: 'reboot',
};
const scenarios: readonly Scenario[] = [
  base,
  { ...base, routings: [everything, some, others], end: 'release, still blocked' },
  { ...base, routings: [others, everything], act: 'moves to another network', end: 'crash' },
];

/** What is found first; a mistake may also make the helper give up. */
async function findings(change: Parameters<typeof run>[1]): Promise<string[]> {
  for (const scenario of scenarios) {
    const found = await run(scenario, change).catch((error: unknown) => [String(error)]);
    if (found.length > 0) return found;
  }
  return [];
}

test('the adapter without a mistake passes', async () => {
  expect(await findings(undefined)).toEqual([]);
});

describe('a mistake of the adapter is noticed:', () => {
  test.each(Object.entries(mutants))('%s', async (_name, mutant) => {
    expect(await findings(mutant)).not.toEqual([]);
  });
});

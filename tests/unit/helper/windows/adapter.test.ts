import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isExhaustive } from '../../../lab/runs/thoroughness.ts';
import { othersActs, run, type Scenario } from './model/scenario.ts';
import type { Routing } from '#shared/tunnel/state.ts';

/**
 * The coordinator and the ports for Windows, on a model of Windows that executes their calls: whatever is chosen,
 * changed and broken, no packet that belongs in the tunnel has a way out between two calls.
 */

const routing: fc.Arbitrary<Routing> = fc.oneof(
  fc.record({ mode: fc.constant('global' as const), localNetwork: fc.boolean() }),
  fc.record({
    mode: fc.constant('ip' as const),
    policy: fc.constantFrom('include' as const, 'exclude' as const),
    routeIps: fc.constant<string[]>(['203.0.113.0/24', '2001:db8:aaaa::/48']),
    localNetwork: fc.boolean(),
  }),
  fc.record({
    mode: fc.constant('pac' as const),
    routeDomains: fc.constant<string[]>(['example.org']),
    blockedDomains: fc.constant<string[]>([]),
  }),
);

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  hasIpv6: fc.boolean(),
  hasPolicies: fc.boolean(),
  othersPermit: fc.boolean(),
  isReaddressed: fc.boolean(),
  killSwitch: fc.boolean(),
  routings: fc.array(routing, { minLength: 1, maxLength: 3 }),
  act: fc.constantFrom(...othersActs),
  end: fc.constantFrom('release', 'release, still blocked', 'crash', 'reboot', 'shutdown'),
});

test('no packet has a way past the tunnel between two calls, and all is as before at the end', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      expect(await run(scenario)).toEqual([]);
    }),
    { numRuns: isExhaustive ? 300 : 40 },
  );
});

test('a helper that dies after any call leaves nothing that the next one does not undo', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, fc.integer({ min: 1, max: 60 }), async (scenario, diesAfter) => {
      expect(await run({ ...scenario, act: 'nothing', diesAfter })).toEqual([]);
    }),
    { numRuns: isExhaustive ? 600 : 60 },
  );
});

import type { Filter, FilterSession } from '../../../../../helper/windows/calls/filtering.ts';
import type { IpHelper } from '../../../../../helper/windows/calls/ip-helper.ts';
import type { Registry } from '../../../../../helper/windows/calls/registry.ts';
import type { WindowsCalls } from '../../../../../helper/windows/calls/windows-calls.ts';
import { policyRules } from './machine.ts';

/**
 * The adapter with one mistake each, as far as Windows notices: a call is missing, comes too late or says something
 * else.
 */

type Mutant = (calls: WindowsCalls) => WindowsCalls;

const ipHelper =
  (change: (real: IpHelper) => Partial<IpHelper>): Mutant =>
  (calls) => ({ ...calls, ipHelper: { ...calls.ipHelper, ...change(calls.ipHelper) } });

const registry =
  (change: (real: Registry) => Partial<Registry>): Mutant =>
  (calls) => ({ ...calls, registry: { ...calls.registry, ...change(calls.registry) } });

const session =
  (change: (real: FilterSession) => Partial<FilterSession>): Mutant =>
  (calls) => ({
    ...calls,
    filtering: {
      open(kind) {
        const real = calls.filtering.open(kind);
        return { ...real, ...change(real) };
      },
    },
  });

/** Filters are something else; undefined: they are not added. */
const filters = (change: (filter: Filter) => Filter | undefined): Mutant =>
  session((real) => ({
    addFilter(filter) {
      const other = change(filter);
      return other ? real.addFilter(other) : 'added';
    },
  }));

const without = (filter: Filter, field: string): Filter => ({
  ...filter,
  conditions: filter.conditions.filter((one) => one.field !== field),
});

const isGatewayRoute = ({ metric }: { metric: number }) => metric === 22_349;

export const mutants: Readonly<Record<string, Mutant>> = {
  'no transaction': session(() => ({ begin: () => undefined, commit: () => undefined })),
  'no commit': session((real) => ({ commit: () => real.abort() })),
  'nothing blocked at connect-6': filters((filter) =>
    filter.layer === 'connect-6' && filter.action === 'block' ? undefined : filter,
  ),
  'nothing blocked at accept-4': filters((filter) =>
    filter.layer === 'accept-4' && filter.action === 'block' ? undefined : filter,
  ),
  'blocks are not final': filters((filter) => ({ ...filter, isFinal: false })),
  'all weights are the same': filters((filter) => ({ ...filter, weight: 8 })),
  'the block of the rest weighs most': filters((filter) =>
    filter.weight === 0 ? { ...filter, weight: 15 } : filter,
  ),
  'nothing from the driver’s start on': filters((filter) =>
    filter.lifetime === 'boot-time' ? undefined : filter,
  ),
  'nothing persistent': filters((filter) =>
    filter.lifetime === 'persistent' ? { ...filter, lifetime: 'running' } : filter,
  ),
  'any program reaches the gateway': filters((filter) => without(without(filter, 'program'), 'user')),
  'any address may use the tunnel': filters((filter) =>
    filter.action === 'block' && filter.conditions[0]?.field === 'interface' ? undefined : filter,
  ),
  'filters of before stay': session(() => ({ deleteFilter: () => 'deleted' })),
  'no route to the gateway': ipHelper((real) => ({
    createRoute: (route) => (isGatewayRoute(route) ? 'created' : real.createRoute(route)),
  })),
  'half of the routes': ipHelper((real) => ({
    createRoute: (route) => (/^(?:128\.|8000:)/.test(route.prefix) ? 'created' : real.createRoute(route)),
  })),
  'routes stay': ipHelper(() => ({ deleteRoute: () => 'deleted' })),
  'no addresses': ipHelper(() => ({ createAddress: () => 'created' })),
  'the interface keeps its automatic metric': ipHelper(() => ({ setIpInterface: () => 'set' })),
  'no rule where there are policies': registry((real) => ({
    setValue: (path, name, value) =>
      path.startsWith(policyRules) ? undefined : real.setValue(path, name, value),
  })),
  'the rule for names stays': registry(() => ({ deleteKey: () => 'deleted' })),
  'the DNS client is not told': (calls) => ({
    ...calls,
    resolverClient: { ...calls.resolverClient, readSettings: () => 'read' },
  }),
};

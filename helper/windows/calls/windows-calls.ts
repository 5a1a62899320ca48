import { createFiltering } from './filter-calls.ts';
import type { Filtering } from './filtering.ts';
import { createIpHelper } from './ip-helper-calls.ts';
import type { IpHelper } from './ip-helper.ts';
import { systemLibraries, type Libraries } from './libraries.ts';
import { createRegistry } from './registry-calls.ts';
import type { Registry } from './registry.ts';
import { createResolverClient } from './resolver-client-calls.ts';
import type { ResolverClient } from './resolver-client.ts';

/**
 * All of Windows that changes the machine's network. The adapter has no other way to it, so that a model of the system
 * can stand in its place.
 */
export interface WindowsCalls {
  ipHelper: IpHelper;
  filtering: Filtering;
  registry: Registry;
  resolverClient: ResolverClient;
}

/** Loads the libraries; throws where there are none. */
export const createWindowsCalls = (libraries: Libraries = systemLibraries): WindowsCalls => ({
  ipHelper: createIpHelper(libraries.iphlpapi),
  filtering: createFiltering(libraries),
  registry: createRegistry(libraries),
  resolverClient: createResolverClient(libraries),
});

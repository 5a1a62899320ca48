import type { HostImplementation } from '#shared/host/contract.ts';

/** Hosts that keep no logs have nothing to show of them. */
export const noDiagnostics: Pick<HostImplementation, 'connectionLog' | 'problemReport'> = {
  connectionLog: { get: () => [], clear: () => true },
  problemReport: { make: () => '', save: () => 'failed' },
};

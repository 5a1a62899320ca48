import type { HostImplementation } from '#shared/host/contract.ts';

/** For hosts without logs. */
export const noDiagnostics: Pick<HostImplementation, 'connectionLog' | 'problemReport'> = {
  connectionLog: { get: () => [], clear: () => true },
  problemReport: { make: () => '', save: () => 'failed' },
};

import type { HostImplementation } from '#shared/host/contract.ts';

/** For hosts without logs. */
export const noDiagnostics = {
  connectionLog: { get: () => [], clear: () => true },
  problemReport: { make: () => '', save: () => 'failed' },
} satisfies Pick<HostImplementation, 'connectionLog' | 'problemReport'>;

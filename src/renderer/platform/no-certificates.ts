import type { HostImplementation } from '#shared/host/contract.ts';

/** For hosts that do not sign in to gateways themselves, and so have no certificates. */
export const noCertificates = {
  get: () => ({ wanted: false, certificate: null }),
  set: () => ({ ok: false, error: 'not-stored' }),
  remove: () => false,
} satisfies HostImplementation['gatewayCertificate'];

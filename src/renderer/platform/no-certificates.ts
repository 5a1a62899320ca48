import type { HostImplementation } from '#shared/host/contract.ts';

/** Hosts that sign in to no gateway by themselves have no certificates for it. */
export const noCertificates: HostImplementation['gatewayCertificate'] = {
  get: () => ({ wanted: false, certificate: null }),
  set: () => ({ ok: false, error: 'not-stored' }),
  remove: () => false,
};

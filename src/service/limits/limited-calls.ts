import type { ApiCallName } from '#shared/api/calls.ts';
import type { LimitName } from './limits.ts';

/** The limits of a call, by whom they count. */
export interface CallLimits {
  source?: LimitName;
  account?: LimitName;
}

/** Calls that are limited before they are handled. Sign-in limits itself, as it knows devices. */
export const limitedCalls: Partial<Record<ApiCallName, CallLimits>> = {
  createOrder: { source: 'ordersPerSource' },
  createGuestOrder: { source: 'ordersPerSource' },
  createVisitOrder: { source: 'ordersPerSource' },
  createHandOver: { account: 'handOversPerAccount' },
  createPayment: { account: 'paymentsPerAccount' },
  consumeLicenseKey: { source: 'licenseKeysPerSource', account: 'licenseKeysPerAccount' },
  addMember: { source: 'invitationsPerSource', account: 'invitationsPerAccount' },
};

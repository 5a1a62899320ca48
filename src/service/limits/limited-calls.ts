import type { ApiCallName } from '#shared/api/calls.ts';
import type { LimitName } from './limits.ts';

/** The limits of a call, by what they count. */
export interface CallLimits {
  source?: LimitName;
  account?: LimitName;
}

/** Calls that are limited before they are handled. Sign-in has its own limits, because they depend on the device. */
export const limitedCalls: Partial<Record<ApiCallName, CallLimits>> = {
  createOrder: { source: 'ordersPerSource' },
  createGuestOrder: { source: 'ordersPerSource' },
  createVisitOrder: { source: 'ordersPerSource' },
  createHandOver: { account: 'handOversPerAccount' },
  createPayment: { account: 'paymentsPerAccount' },
  consumeLicenseKey: { source: 'licenseKeysPerSource', account: 'licenseKeysPerAccount' },
  addMember: { source: 'invitationsPerSource', account: 'invitationsPerAccount' },
};

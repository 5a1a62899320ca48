import type { Service } from '../entities.ts';

/** Expired if `expiredAt` is before now (specification §4); a service that was never bought counts as expired. */
export function isServiceExpired(service: Pick<Service, 'expiredAt'>, now: number): boolean {
  return service.expiredAt === null || Date.parse(service.expiredAt) < now;
}

export type PlanState = 'none' | 'active' | 'expired';

export function planState(service: Pick<Service, 'expiredAt'>, now: number): PlanState {
  if (service.expiredAt === null) return 'none';
  return isServiceExpired(service, now) ? 'expired' : 'active';
}

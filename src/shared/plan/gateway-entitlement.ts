import type { ServerGroup, Service } from '../entities.ts';
import type { Deadline } from '../helper/protocol.ts';
import type { Gateway } from '../tunnel/state.ts';
import { isServiceExpired } from './service-expiry.ts';
import { isOnTrial, isServerAt, listServers, type SignInPlace } from './usable-group.ts';

/** Whether an account may use a gateway, and until when; without a deadline, no end is known. */
export type Entitlement =
  | { kind: 'usable'; deadline: Deadline | undefined }
  | { kind: 'ended'; reason: Deadline['reason'] }
  | { kind: 'not-listed' };

/** The servers that are listed at this place; several groups may contain the same one. */
const serversAt = (place: SignInPlace, groups: readonly ServerGroup[]) =>
  listServers(groups).filter((server) => isServerAt(server, place));

/** Whether servers share this gateway, and differ in where their sign-in begins. */
export const isSharedByPath = ({ host, port }: Gateway, groups: readonly ServerGroup[]): boolean =>
  new Set(serversAt({ host, port }, groups).map(({ path = '/' }) => path)).size > 1;

/**
 * `split`: only the networks that the gateway names go through the tunnel. `incoming`: its network may open connections
 * to the user's computer.
 */
export type ServerMark = 'split' | 'incoming';

/** Whether each of the servers here is marked: one that is not is as protected as any other. */
export function isMarkedAt(mark: ServerMark, place: SignInPlace, groups: readonly ServerGroup[]): boolean {
  const listed = serversAt(place, groups);
  return listed.length > 0 && listed.every((server) => server[mark] === true);
}

/** `service` is undefined if it is not known. */
export function entitlementTo(
  place: SignInPlace,
  groups: readonly ServerGroup[],
  service: Service | undefined,
  now: number,
): Entitlement {
  const listed = serversAt(place, groups);
  if (listed.length === 0) return { kind: 'not-listed' };
  const all = listed.map(({ group }) => ofGroup(group, service, now));
  const usable = all.filter((one) => one.kind === 'usable');
  return usable.toSorted((one, other) => endOf(other) - endOf(one))[0] ?? all[0] ?? { kind: 'not-listed' };
}

const endOf = ({ deadline }: Extract<Entitlement, { kind: 'usable' }>) => deadline?.at ?? Infinity;

/** A plan covers every group, and a trial covers its own group; the one that ends last decides. */
function ofGroup(group: ServerGroup, service: Service | undefined, now: number): Entitlement {
  const trial = isOnTrial(group, now) ? timeOf(group.trialExpiredAt) : undefined;
  const plan = service && !isServiceExpired(service, now) ? timeOf(service.expiredAt) : undefined;
  if (trial === Infinity) return { kind: 'usable', deadline: undefined };
  if (plan !== undefined && plan >= (trial ?? 0)) return usableUntil(plan, 'plan-ended');
  if (trial !== undefined) return usableUntil(trial, 'trial-ended');
  // Specification §4: usable while the service is being loaded.
  if (!service) return { kind: 'usable', deadline: undefined };
  return {
    kind: 'ended',
    reason: service.expiredAt === null && group.isTrial ? 'trial-ended' : 'plan-ended',
  };
}

function usableUntil(at: number, reason: Deadline['reason']): Entitlement {
  return { kind: 'usable', deadline: { at, reason } };
}

const timeOf = (time: string | null) => (time === null ? Infinity : Date.parse(time));

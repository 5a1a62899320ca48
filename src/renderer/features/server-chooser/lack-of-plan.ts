import type { ServerGroup, Service, User } from '#shared/entities.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { isMember } from '../session/is-member.ts';

/** Why a group's servers cannot be used, and what to do about it, for users without the right plan. */
export function lackOfPlan(
  group: ServerGroup,
  service: Service,
  user: User | undefined,
): { tag: TextKey; text: TextKey } {
  if (user && isMember(user)) return { tag: 'connect.groupExpired', text: 'connect.groupOfMember' };
  if (service.expiredAt !== null) return { tag: 'connect.groupExpired', text: 'connect.groupExpiredText' };
  return group.isTrial
    ? { tag: 'connect.groupTrialEnded', text: 'connect.groupTrialEndedText' }
    : { tag: 'connect.groupNeedsPlan', text: 'connect.groupNeedsPlanText' };
}

import { expect, test } from 'vitest';
import type { ServerGroup, Service, User } from '../../../../../src/shared/entities.ts';
import { lackOfPlan } from '../../../../../src/renderer/features/server-chooser/lack-of-plan.ts';

const group = (isTrial: boolean): ServerGroup => ({
  id: 'group',
  name: 'Group',
  isTrial,
  trialExpiredAt: null,
  items: [],
});
const service = (expiredAt: string | null): Service => ({
  serviceId: 'id',
  service: 'Plan',
  seats: 1,
  expiredAt,
});
const user = (level: User['profile']['level']): User => ({
  email: 'someone@example.com',
  profile: { level, firstOrderDone: false, seatsUsed: 0 },
});
const past = '2026-01-01T00:00:00Z';

test.each([
  ['never had a plan', group(false), service(null), user(1), 'connect.groupNeedsPlan'],
  ['had a trial', group(true), service(null), user(1), 'connect.groupTrialEnded'],
  ['had a plan', group(false), service(past), user(2), 'connect.groupExpired'],
  ['had a plan and a trial', group(true), service(past), user(2), 'connect.groupExpired'],
  ['is not known yet', group(false), service(null), undefined, 'connect.groupNeedsPlan'],
] as const)('a user who %s is told what is missing', (_, lacking, has, who, tag) => {
  expect(lackOfPlan(lacking, has, who)).toEqual({ tag, text: `${tag}Text` });
});

test('a member is told whom to ask, as members buy nothing', () => {
  expect(lackOfPlan(group(false), service(past), user(3)).text).toBe('connect.groupOfMember');
});

import { expect, test } from 'vitest';
import { maxOtherAddresses } from '#shared/helper/protocol.ts';
import { createConnectionBudget, type ConnectionBudget } from '../../../../helper/rpc/connection-budget.ts';

/** How many connections a user gets. */
function takeAll(budget: ConnectionBudget, uid: number): number {
  let taken = 0;
  while (budget.take(caller(uid))) taken += 1;
  return taken;
}

const caller = (uid: number, isAllowed = true) => ({
  user: String(uid),
  isAdministrator: uid === 0,
  isAllowed,
  pid: 1,
  sharesProcessIds: true,
});

test('connections are kept free for administrators, and for telling a caller that it is refused, when users hold all others', () => {
  const budget = createConnectionBudget();
  let uid = 1000;
  while (takeAll(budget, uid) > 0) uid += 1;
  // More than one user's: it is what all of them have together that is used up.
  expect(uid).toBeGreaterThan(1001);
  expect(budget.take(caller(0))).toBeDefined();
  expect(budget.take(caller(uid, false)), 'to be told so').toBeDefined();
});

// Each stream of a sign-in takes one: two at each address, beside those of the app and of what else the user has
// running.
test.each([0, 1000])('user %i can sign in at all addresses of a gateway beside other programs', (uid) => {
  const taken = takeAll(createConnectionBudget(), uid);
  expect(taken).toBeGreaterThan(2 * (1 + maxOtherAddresses) + 10);
  expect(taken).toBeLessThan(100);
});

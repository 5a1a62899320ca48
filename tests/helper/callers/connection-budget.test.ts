import { expect, test } from 'vitest';
import { createConnectionBudget } from '../../../helper/rpc/connection-budget.ts';

const caller = (uid: number, isAllowed = true) => ({
  user: String(uid),
  isAdministrator: uid === 0,
  isAllowed,
  pid: 1,
  sharesProcessIds: true,
});

test('connections are kept free for administrators, and for telling a caller that it is refused, when users hold all others', () => {
  const budget = createConnectionBudget();
  const takeAll = (uid: number) => {
    let taken = 0;
    while (budget.take(caller(uid))) taken += 1;
    return taken;
  };
  let uid = 1000;
  while (takeAll(uid) > 0) uid += 1;
  // More than one user's: it is what all of them have together that is used up.
  expect(uid).toBeGreaterThan(1001);
  expect(budget.take(caller(0))).toBeDefined();
  expect(budget.take(caller(uid, false)), 'to be told so').toBeDefined();
});

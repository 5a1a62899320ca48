/** What adding a member, or inviting one again, changes and tells. */
export const memberAdded = {
  changes: ['members', 'userInfo'],
  tells: { done: 'members.added', failed: 'error.memberAdd' },
} as const;

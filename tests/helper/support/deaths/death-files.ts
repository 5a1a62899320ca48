/** What a helper that is to be killed reads and writes in the directory of its plan. */
export const leftFile = 'left';
export const momentsFile = 'moments';

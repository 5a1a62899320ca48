/**
 * Whether this is `npm test -- all`, which also runs what is exhaustive: files named `*.all.test.ts` or
 * `*.all.spec.ts`, and the rest of each matrix that `npm test` runs a part of.
 */
export const isExhaustive = process.env['WAYMAKER_TEST_ALL'] === '1';

/** The cases of a matrix: all of them in an exhaustive run, otherwise the usual ones. */
export function casesOf<Case>(cases: { usual: readonly Case[]; all: readonly Case[] }): readonly Case[] {
  return isExhaustive ? cases.all : cases.usual;
}

/** What keeps the product from starting: one line for the user, without a stack. */
export class StartProblem extends Error {
  override name = 'StartProblem';
}

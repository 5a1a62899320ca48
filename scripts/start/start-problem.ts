/** What keeps the product from starting, for whoever starts it: a line, without a stack. */
export class StartProblem extends Error {
  override name = 'StartProblem';
}

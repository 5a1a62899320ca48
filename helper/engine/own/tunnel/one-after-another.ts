/** Has each call wait for the one before, and made even if that fails. */
export function oneAfterAnother<Given extends unknown[], Result>(
  call: (...given: Given) => Promise<Result>,
): (...given: Given) => Promise<Result> {
  let before: Promise<unknown> = Promise.resolve();
  return (...given) => {
    const result = before.then(() => call(...given));
    before = result.catch(() => undefined);
    return result;
  };
}

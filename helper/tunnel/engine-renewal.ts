/** A wish, of which whoever can fulfil it is told. */
export interface Renewal {
  call(): void;
  /** One listener at a time. */
  listen(onCall: () => void): void;
}

export function createRenewal(): Renewal {
  let listener: () => void = () => undefined;
  return {
    call: () => listener(),
    listen(onCall) {
      listener = onCall;
    },
  };
}

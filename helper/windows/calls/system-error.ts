/** Codes of <winerror.h> that mean something to the adapter. */
export const codes = {
  ERROR_SUCCESS: 0,
  ERROR_FILE_NOT_FOUND: 2,
  ERROR_NO_MORE_ITEMS: 259,
  ERROR_NOT_FOUND: 1168,
  ERROR_OBJECT_ALREADY_EXISTS: 5010,
  FWP_E_FILTER_NOT_FOUND: 0x80320003,
  FWP_E_PROVIDER_NOT_FOUND: 0x80320005,
  FWP_E_SUBLAYER_NOT_FOUND: 0x80320007,
  FWP_E_ALREADY_EXISTS: 0x80320009,
  FWP_E_IN_USE: 0x8032000a,
} as const;

/** A call that Windows refused for no reason that is expected. */
export class SystemError extends Error {
  override name = 'SystemError';
  readonly code: number;

  constructor(call: string, code: number) {
    super(`${call} failed with ${code >= 0x10000 ? `0x${code.toString(16)}` : code}`);
    this.code = code;
  }
}

/** What a call returned, as an unsigned number. */
export const codeOf = (outcome: unknown): number => Number(outcome) >>> 0;

/** The meaning of what a call returned, among those that are expected; throws `SystemError` for all others. */
export function meaningOf<Meaning extends string>(
  call: string,
  outcome: unknown,
  meanings: Readonly<Record<number, Meaning>>,
): Meaning {
  const code = codeOf(outcome);
  const meaning = meanings[code];
  if (meaning === undefined) throw new SystemError(call, code);
  return meaning;
}

export function expectSuccess(call: string, outcome: unknown): void {
  if (codeOf(outcome) !== codes.ERROR_SUCCESS) throw new SystemError(call, codeOf(outcome));
}

/**
 * Whether it is an error with one of these codes, which are names such as `ENOENT` for those of the system
 * (https://nodejs.org/api/errors.html#errorcode).
 */
export const hasErrorCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

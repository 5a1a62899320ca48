import { loadLibrary, type NativeCall } from './native-library.ts';

/** A call that Windows has refused, with the code of <winerror.h>. */
export class CallFailed extends Error {
  override name = 'CallFailed';
  readonly code: number;

  constructor(call: string, code: number) {
    super(`${call} failed with ${code}`);
    this.code = code;
  }
}

let getLastError: NativeCall | undefined;

/** Why the call has failed that this thread has just made. */
export function lastError(): number {
  getLastError ??= loadLibrary('kernel32.dll').bind('GetLastError', 'uint32', []);
  return Number(getLastError());
}

/** For calls that return zero when they fail: what they return; throws `CallFailed`. */
export function orThrow(call: string, outcome: unknown): number {
  const value = Number(outcome);
  if (value === 0) throw new CallFailed(call, lastError());
  return value;
}

/** For calls that return a code: throws `CallFailed` if it is not that of success. */
export function expectSuccess(call: string, outcome: unknown): void {
  if (Number(outcome) !== 0) throw new CallFailed(call, Number(outcome));
}

/** What calls that open something return in place of a handle (<handleapi.h>). */
export const handleConstants = { INVALID_HANDLE_VALUE: -1 } as const;

/** For calls that return a handle: that; throws `CallFailed`. */
export function handleOrThrow(call: string, outcome: unknown): number {
  const handle = Number(outcome);
  if (handle === handleConstants.INVALID_HANDLE_VALUE || handle === 0)
    throw new CallFailed(call, lastError());
  return handle;
}

import type { TFunction } from 'i18next';
import type { ApiFailure } from '#shared/api/result.ts';
import type { TextKey } from '#shared/texts/texts.ts';

/** A call without data, thrown because that is how a query fails. */
export class ApiCallFailed extends Error {
  override name = 'ApiCallFailed';
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(`API call failed: ${failure.kind}`);
    this.failure = failure;
  }
}

/** The service's code, if it refused the call. */
export const refusalCode = (error: Error): number | undefined =>
  error instanceof ApiCallFailed && error.failure.kind === 'service' ? error.failure.code : undefined;

/**
 * The message for the user (specification §8): the service's own if there is one, otherwise `otherwise`, the message of
 * the calling page.
 */
export function failureText(failure: ApiFailure, t: TFunction, otherwise: TextKey = 'error.network'): string {
  switch (failure.kind) {
    case 'service':
      return failure.msg || t(otherwise);
    case 'auth-state-changed':
      return t('error.authChanged');
    case 'network':
    case 'unauthorized':
    case 'invalid-reply':
      return t(otherwise);
    default:
      return failure satisfies never;
  }
}

export function errorText(error: Error, t: TFunction, otherwise?: TextKey): string {
  const failure: ApiFailure = error instanceof ApiCallFailed ? error.failure : { kind: 'network' };
  return failureText(failure, t, otherwise);
}

import { sanitizeNextPath } from '#shared/validation.ts';

interface VerifyQuery {
  email: string;
  authId: string;
  /** Where to go after signing in. */
  next: string;
}

export const verifyPathname = '/auth-verify';

export function verifyPath({ email, authId, next }: VerifyQuery): string {
  return `${verifyPathname}?${new URLSearchParams({ email, authId, next })}`;
}

/** The parameters of /auth-verify; undefined if the email or the authId is missing (specification §5). */
export function readVerifyQuery(search: URLSearchParams): VerifyQuery | undefined {
  const email = search.get('email');
  const authId = search.get('authId');
  if (!email || !authId) return undefined;
  return { email, authId, next: sanitizeNextPath(search.get('next')) };
}

/** The state of `verifyPath` for users who come from the page that had the code mailed, to which going back leads. */
export const overOrigin = { overOrigin: true };

export const isOverOrigin = (state: unknown): boolean =>
  typeof state === 'object' && state !== null && 'overOrigin' in state;

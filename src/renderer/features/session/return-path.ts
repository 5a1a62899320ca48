import { sanitizeNextPath } from '#shared/validation.ts';

interface ReturnState {
  from: string;
}

/** What /login is told about where the user wanted to go. Nobody wants to come back to the sign-out page. */
export function returnState(location: { pathname: string; search: string }): ReturnState | null {
  return location.pathname === '/logout' ? null : { from: location.pathname + location.search };
}

/** The path to go to after signing in, from a location's state. */
export function returnPath(state: unknown): string {
  const from = typeof state === 'object' && state !== null && 'from' in state ? state.from : undefined;
  return sanitizeNextPath(typeof from === 'string' ? from : undefined);
}

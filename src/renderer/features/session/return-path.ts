import { sanitizeNextPath } from '#shared/validation.ts';

interface ReturnState {
  from: string;
}

/** What people get to who have asked for nothing in particular. */
const homePaths: ReadonlySet<string> = new Set(['/', '/dashboard']);

/** What /login is told about where the user wanted to go. Nobody wants to come back to the sign-out page. */
export function returnState(location: { pathname: string; search: string }): ReturnState {
  return { from: location.pathname === '/logout' ? '/' : location.pathname + location.search };
}

/**
 * The path to go to after signing in, from a location's state. Where there is a tunnel, what people come for is to
 * connect: the account, which is where / leads, is for those only who have asked for something of it.
 */
export function returnPath(state: unknown, { hasTunnel }: { hasTunnel: boolean }): string {
  const from = typeof state === 'object' && state !== null && 'from' in state ? state.from : undefined;
  const path = sanitizeNextPath(typeof from === 'string' ? from : undefined);
  return hasTunnel && homePaths.has(path) ? '/vpn' : path;
}

import type { Path } from 'react-router-dom';
import { canonicalPath } from '#shared/console-paths.ts';
import { sanitizeNextPath } from '#shared/validation.ts';

interface ReturnState {
  from: string;
}

/** The page for people who have not asked for a particular one. */
const homePaths: ReadonlySet<string> = new Set(['/', '/dashboard']);

/** The state for /login that says where the user wanted to go. Nobody wants to come back to the sign-out page. */
export function returnState({ pathname, search, hash }: Path): ReturnState {
  return { from: pathname === '/logout' ? '/' : pathname + search + hash };
}

/**
 * The path to go to after signing in, from a location's state. If there is a tunnel, people come to connect, so the
 * account page, which / leads to, is only for those who asked for a part of it.
 */
export function returnPath(state: unknown, { hasTunnel }: { hasTunnel: boolean }): string {
  const from = typeof state === 'object' && state !== null && 'from' in state ? state.from : undefined;
  const path = sanitizeNextPath(typeof from === 'string' ? from : undefined);
  return hasTunnel && homePaths.has(canonicalPath(path)) ? '/vpn' : path;
}

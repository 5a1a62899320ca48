import type { ApiFailure } from '../api/result.ts';
import type { Preferences } from '../host/preferences.ts';
import type { Say } from './say.ts';

/**
 * Why there are no lists for the routing that was wanted: in the service's own words if it has any (specification §8).
 * `routing`: what was wanted.
 */
export function noListsText(
  failure: ApiFailure,
  routing: Preferences['routing'] | undefined,
  say: Say,
): string {
  if (failure.kind === 'service' && failure.msg !== '') return failure.msg;
  return say(routing === 'automatic' ? 'error.pac' : 'error.routing');
}

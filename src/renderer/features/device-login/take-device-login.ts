import { canonicalPath } from '#shared/console-paths.ts';
import { sanitizeNextPath } from '#shared/validation.ts';

/** The parameters of /device-login. */
export interface DeviceLogin {
  deviceId: string;
  token: string;
  /** The path to go to once signed in. */
  next: string;
  inApp: boolean;
}

const path = '/device-login';

/**
 * Removes the token of /device-login from the address and the history, where scripts, reports and the next user of the
 * browser could read it; undefined on any other page, or if something is missing. Call this before anything else is
 * loaded.
 */
export function takeDeviceLogin(
  location: Pick<Location, 'pathname' | 'search'>,
  history: Pick<History, 'replaceState'>,
): DeviceLogin | undefined {
  if (canonicalPath(location.pathname) !== path || location.search === '') return undefined;
  const query = new URLSearchParams(location.search);
  history.replaceState(null, '', path);
  const deviceId = query.get('deviceId');
  const token = query.get('token');
  if (!deviceId || !token) return undefined;
  const inApp = query.get('inApp');
  return {
    deviceId,
    token,
    next: nextPath(query.get('next')),
    inApp: inApp !== null && !['', '0', 'false'].includes(inApp),
  };
}

/** Continuing to this page itself would never end. */
function nextPath(next: string | null): string {
  const sanitized = sanitizeNextPath(next);
  const { pathname } = new URL(sanitized, 'https://app.invalid');
  return canonicalPath(pathname) === path ? '/' : sanitized;
}

import { sanitizeNextPath } from '#shared/validation.ts';

/** What /device-login was called with. */
export interface DeviceLogin {
  deviceId: string;
  token: string;
  /** The path to go to once signed in. */
  next: string;
  inApp: boolean;
}

const path = '/device-login';

/**
 * Takes the token of /device-login out of the address and of the history, where scripts, reports and the next
 * user of the browser could read it; undefined on any other page, or if something is missing. To be called
 * before anything else is loaded.
 */
export function takeDeviceLogin(
  location: Pick<Location, 'pathname' | 'search'>,
  history: Pick<History, 'replaceState'>,
): DeviceLogin | undefined {
  if (location.pathname !== path || location.search === '') return undefined;
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

/** Going on to this page itself would never end. */
function nextPath(next: string | null): string {
  const sanitized = sanitizeNextPath(next);
  return sanitized.startsWith(path) ? '/' : sanitized;
}

import { storageKeys } from '../storage/storage-keys.ts';
import type { WebHost } from './web-host.ts';

/** Follows what other tabs of this browser do to the session and to how pages are shown. */
export function followOtherTabs(
  host: Pick<WebHost, 'changed' | 'lookChanged'>,
  page: Pick<Window, 'addEventListener' | 'location'>,
): void {
  const followSession = (how: { isEmptied: boolean }) => {
    // What this tab displays, and was about to do, belongs to another user.
    if (!host.changed(how)) page.location.reload();
  };
  // Another tab signed in or out; without a key, it has cleared everything, and may have signed in since.
  page.addEventListener('storage', ({ key }) => {
    if (key === storageKeys.look) host.lookChanged();
    if (key === storageKeys.token || key === null) followSession({ isEmptied: key === null });
  });
  // While the browser keeps a page in its back/forward cache, that page is told nothing.
  page.addEventListener('pageshow', ({ persisted }) => {
    if (!persisted) return;
    host.lookChanged();
    followSession({ isEmptied: false });
  });
}

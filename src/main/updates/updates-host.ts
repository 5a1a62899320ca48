import type { DesktopImplementation } from '#shared/host/updates-contract.ts';
import type { AppUpdates } from './app-updates.ts';

/** What pages can ask about updates. What takes long goes on after the answer; `changed` tells what comes of it. */
export const createUpdatesHost = (updates: AppUpdates | undefined): DesktopImplementation['updates'] => ({
  get: () => updates?.view() ?? null,
  check() {
    void updates?.check();
    return null;
  },
  download() {
    void updates?.download();
    return null;
  },
  install() {
    void updates?.install();
    return null;
  },
});

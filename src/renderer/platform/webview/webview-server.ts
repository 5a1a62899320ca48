import type { HostImplementation } from '#shared/host/contract.ts';
import type { WebviewApp } from '#shared/host/webview-contract.ts';
import { serverFor, type ListedServer } from '#shared/plan/usable-group.ts';
import { serverAddress } from '#shared/tunnel/address.ts';
import { storageKeys } from '../storage/storage-keys.ts';
import type { WebviewLogins } from './webview-logins.ts';
import type { WebviewPlan } from './webview-plan.ts';
import type { PageVisibility } from '../page-visibility.ts';
import { whileVisible } from '../while-visible.ts';

/** The app only creates a new session if the prepared one is too old. */
const prepareAgainMs = 60_000;

export interface WebviewServerOptions {
  app: WebviewApp['tunnel'];
  storage: HostImplementation['storage'];
  plan: WebviewPlan;
  logins: WebviewLogins;
  visibility: PageVisibility;
  onChange: (serverId: string | null) => void;
}

/**
 * The server that the user chose, in the app's storage. While the page is visible and there is no tunnel, the app is
 * asked to sign in in advance.
 */
export function createWebviewServer(options: WebviewServerOptions): {
  host: HostImplementation['server'];
  /** The server that Connect uses, if any may be used now. */
  current(): Promise<ListedServer | undefined>;
  /** It belonged to another account. */
  forget(): void;
} {
  const { app, storage, plan, logins, visibility } = options;
  /** Chosen in this page, possibly while the storage failed. */
  let chosen: string | undefined;
  let isIdle = false;

  const chosenId = async () => chosen ?? (await storage.get(storageKeys.serverId));

  const current = async () => serverFor(plan.servers(), await chosenId());

  async function prepare(): Promise<void> {
    if (!isIdle || !visibility.isVisible()) return;
    const server = await current();
    if (!server) return;
    const address = serverAddress(server);
    const login = await logins.at(address);
    // The click itself reports a failure.
    await app.prepare({ address, login }).catch(() => null);
  }

  function follow({ state }: { state: string }): void {
    isIdle = state === 'disconnected';
    void prepare();
  }

  app.stateChanged(follow);
  plan.onChange(() => void prepare());
  whileVisible({ everyMs: prepareAgainMs, action: () => void prepare(), visibility });

  async function choose(id: string): Promise<boolean> {
    chosen = id;
    options.onChange(id);
    void prepare();
    return await storage.set({ key: storageKeys.serverId, value: id });
  }

  return {
    host: {
      chosen: chosenId,
      choose,
      async chooseFirst(id) {
        const stored = await chosenId();
        return stored === null && chosen === undefined && (await choose(id));
      },
    },
    current,
    forget() {
      chosen = undefined;
      options.onChange(null);
    },
  };
}

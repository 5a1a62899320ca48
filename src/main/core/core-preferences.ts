import type { Logger } from 'pino';
import type { Language } from '#shared/entities.ts';
import { chooseLanguage } from '#shared/language.ts';
import { serverAt } from '#shared/plan/usable-group.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createAddressLists } from '../preferences/address-lists.ts';
import { createBehaviour, type BehaviourStore } from '../preferences/behaviour.ts';
import { createFavouriteServers, type FavouriteServers } from '../preferences/favourite-servers.ts';
import { createPreferences, type PreferencesStore } from '../preferences/preferences.ts';
import { createRecentServers, type RecentServers } from '../preferences/recent-servers.ts';
import { createRouteLists } from '../preferences/route-lists.ts';
import { createServerChoice, type ServerChoice } from '../preferences/server-choice.ts';
import type { Settings } from '../preferences/settings.ts';
import type { HelperClient } from '../tunnel/helper-client.ts';
import type { CoreAccount } from './core-account.ts';
import type { CoreOptions } from './core-options.ts';

/** What the user has chosen, and the service's lists that these choices need. */
export interface CorePreferences {
  /** The language of the app now. */
  language(): Language;
  behaviour: BehaviourStore;
  preferences: PreferencesStore;
  server: ServerChoice;
  recentServers: RecentServers;
  favouriteServers: FavouriteServers;
  /** Remembers the servers that were connected to. */
  follow(state: TunnelState): void;
  close(): void;
}

export interface CorePreferencesOptions extends Pick<
  CoreOptions,
  'listsFile' | 'addressListsFile' | 'loginItem' | 'networks'
> {
  settings: Settings;
  /** The system's language as a BCP 47 tag. */
  systemLanguage: string;
  account: Pick<CoreAccount, 'client' | 'isSignedIn' | 'session' | 'plan' | 'onSignOut'>;
  helper: HelperClient;
  log: Logger;
}

/** How often it is checked whether lists have to be requested again, because they are old or a request failed. */
const listsCheckMs = 5 * 60_000;

export function createCorePreferences(options: CorePreferencesOptions): CorePreferences {
  const { settings, account, helper, log } = options;
  const { client, plan } = account;
  const behaviour = createBehaviour({
    settings,
    loginItem: options.loginItem,
    knowsNetworks: options.networks !== undefined,
  });
  const language = (): Language => {
    const chosen = behaviour.get().language;
    return chosen === 'system' ? chooseLanguage([options.systemLanguage]) : chosen;
  };
  const server = createServerChoice({ settings, servers: () => plan.servers() });
  const recentServers = createRecentServers(settings);
  const favouriteServers = createFavouriteServers(settings);
  const lists = createRouteLists({ file: options.listsFile, client, language, log });
  const addressLists = createAddressLists({ file: options.addressListsFile, client, language, log });
  const preferences = createPreferences({
    settings,
    lists,
    addressLists,
    // Until a helper has said what it can do, automatic routing is offered, as in offeredModes.
    can: (capability) => helper.capabilities()?.includes(capability) ?? capability === 'routing.pac',
    log,
  });

  function refreshLists(): void {
    if (account.isSignedIn()) void preferences.refreshLists();
  }

  account.session.onChange(({ signedIn }) => {
    if (signedIn) refreshLists();
  });
  account.onSignOut(() => {
    server.forget();
    recentServers.forget();
    favouriteServers.forget();
    lists.forget();
    addressLists.forget();
  });
  helper.onState(({ state }) => {
    if (state === 'connected') refreshLists();
  });
  const listsTimer = setInterval(refreshLists, listsCheckMs).unref();

  return {
    language,
    behaviour,
    preferences,
    server,
    recentServers,
    favouriteServers,
    follow(state) {
      if (state.state !== 'connected' || state.ownedByOther) return;
      const used = serverAt(state.gateway, plan.servers(), server.server());
      if (used) recentServers.connectedTo(used.serverId);
    },
    close: () => clearInterval(listsTimer),
  };
}

import { uptime } from 'node:os';
import type { Logger } from 'pino';
import { checkToken } from '#shared/api/check-token.ts';
import { createApiClient, type ApiClient, type RenewingApiClient } from '#shared/api/client.ts';
import { endToken } from '#shared/api/end-token.ts';
import { createServiceClock, type ServiceClock } from '#shared/api/service-clock.ts';
import type { AccountChange } from '#shared/api/events.ts';
import { followEvents } from '#shared/api/follow-events.ts';
import { createTokenRefusals, type TokenRefusals } from '#shared/api/token-refusals.ts';
import { cacheSeconds } from '#shared/constants.ts';
import type { SignedOutBy } from '#shared/host/common-contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import type { ServiceFetch } from '../http-fetch.ts';
import { createListeners } from '../listeners.ts';
import { createAppUpdate, type AppUpdate } from '../notices/app-update.ts';
import { createPageStorage } from '../page/page-storage.ts';
import { createProbePages, type ProbePages } from '../page/probe-pages.ts';
import { createOperatorTexts, type OperatorTexts } from '../preferences/operator-texts.ts';
import type { Settings } from '../preferences/settings.ts';
import { createAccountOwner } from '../session/account-owner.ts';
import { readDeviceId } from '../session/device.ts';
import { createSessionStore, type SessionStore } from '../session/session-store.ts';
import { createAccountPlan, type AccountPlan } from '../tunnel/account-plan.ts';
import { afterTime } from '../after-time.ts';
import type { Core } from './core.ts';
import type { CoreOptions } from './core-options.ts';

/** After a sleep, what is asked for once a day may be as late. */
const dailyLateMs = 5 * 60_000;

/** Who is signed in, and what the service says about their account. */
export interface CoreAccount extends Pick<
  Core,
  'storage' | 'owner' | 'checkToken' | 'endToken' | 'onAccountFollowed' | 'onAccountChanges' | 'signOut'
> {
  session: SessionStore;
  refusals: TokenRefusals;
  isSignedIn(): boolean;
  /** Calls of the service with the user's session. */
  client: RenewingApiClient;
  /** The same for everybody who shows something: replies update what is known about the account. */
  watchedClient: ApiClient;
  plan: AccountPlan;
  clock: ServiceClock;
  probePages: ProbePages;
  operatorTexts: OperatorTexts;
  update: AppUpdate;
  /** Part of every sign-out: forgets what belongs to the account. */
  onSignOut(forget: (by: SignedOutBy) => Promise<void> | void): void;
  /** All of that is done. */
  onSignedOut(listener: () => void): void;
  /** A stream that stays open when a tunnel begins or ends would use the wrong route. */
  follow(state: TunnelState): void;
  close(): void;
}

export interface CoreAccountOptions extends Pick<
  CoreOptions,
  'environment' | 'version' | 'keychain' | 'pageFile' | 'planFile'
> {
  settings: Settings;
  serviceFetch: ServiceFetch;
  /** The name by which the account's owner knows this device. */
  deviceName: string;
  log: Logger;
}

/** In the same file as the times that it is for. */
const clockKey = 'clockOffset';
const clockCheckMs = 15_000;

function readClockOffset(file: CoreOptions['planFile']): number | undefined {
  try {
    const offset = file.get(clockKey);
    return Number.isSafeInteger(offset) ? (offset as number) : undefined;
  } catch {
    return undefined;
  }
}

export function createCoreAccount(options: CoreAccountOptions): CoreAccount {
  const { settings, log } = options;
  const { apiUrl } = options.environment;
  const session = createSessionStore({
    deviceId: readDeviceId(settings),
    keychain: options.keychain,
    settings,
    log,
  });
  const isSignedIn = () => session.session().signedIn;
  const storage = createPageStorage(options.pageFile);
  const accountFollowed = createListeners<void>();
  const accountChanges = createListeners<readonly AccountChange[]>();
  const leaving: ((by: SignedOutBy) => Promise<void> | void)[] = [];
  const signedOut = createListeners<void>();

  const refusals = createTokenRefusals({
    session: () => session.credentials(),
    endSession: () => signOut('service'),
  });
  const service = { baseUrl: apiUrl, fetch: options.serviceFetch.call, deviceName: options.deviceName };
  const clock = createServiceClock({
    offset: readClockOffset(options.planFile),
    steady: () => uptime() * 1000,
  });
  clock.onChange((offset) => {
    try {
      options.planFile.set(clockKey, offset);
    } catch {
      // The next answer measures it again.
    }
  });
  const client = createApiClient({
    ...service,
    clock,
    session: () => session.credentials(),
    endSession: () => refusals.refused(),
  });
  const plan = createAccountPlan({ file: options.planFile, client, isSignedIn, clock, log });
  const probePages = createProbePages(settings);
  const operatorTexts = createOperatorTexts(settings);
  const update = createAppUpdate(options.version);
  const watchedClient = plan.watch(probePages.watch(operatorTexts.watch(update.watch(client))));
  const events = followEvents({
    baseUrl: apiUrl,
    fetch: options.serviceFetch.stream,
    session: () => session.credentials(),
    onFollowed() {
      void plan.catchUp();
      accountFollowed.emit();
    },
    onChanges(changes) {
      if (changes.includes('entitlement')) void plan.renew();
      accountChanges.emit(changes);
    },
    onSignedOut: () => void refusals.refused(),
  });
  let isTunnelUp = false;

  async function signOut(by: SignedOutBy): Promise<void> {
    await storage.clear(undefined);
    plan.forget();
    await Promise.all([session.signOut(), ...leaving.map((forget) => forget(by))]);
    signedOut.emit();
  }

  session.onChange(() => events.restart());
  // There may be no open page for days.
  let asking: ReturnType<typeof afterTime>;
  function askEachDay(): void {
    asking = afterTime(
      cacheSeconds.basicInfo * 1000,
      () => {
        void watchedClient.call('basicInfo');
        askEachDay();
      },
      { lateMs: dailyLateMs },
    );
  }
  askEachDay();
  const clockTimer = setInterval(() => clock.check(), clockCheckMs).unref();

  return {
    session,
    refusals,
    isSignedIn,
    client,
    watchedClient,
    plan,
    clock,
    probePages,
    operatorTexts,
    update,
    storage,
    owner: createAccountOwner(options.planFile),
    checkToken: (credentials) => checkToken(service, credentials),
    endToken: (credentials) => endToken(service, credentials),
    onAccountFollowed: (listener) => accountFollowed.add(listener),
    onAccountChanges: (listener) => accountChanges.add(listener),
    signOut,
    onSignOut: (forget) => void leaving.push(forget),
    onSignedOut: (listener) => signedOut.add(listener),
    follow({ state }) {
      if (state !== (isTunnelUp ? 'disconnected' : 'connected')) return;
      isTunnelUp = !isTunnelUp;
      events.restart();
    },
    close() {
      asking.stop();
      clearInterval(clockTimer);
      events.stop();
    },
  };
}

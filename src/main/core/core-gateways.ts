import type { Logger } from 'pino';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import type { Say } from '#shared/texts/say.ts';
import { addressesThroughNat64 } from '../gateway/addresses-through-nat64.ts';
import { createGateways, type Gateways } from '../gateway/gateways.ts';
import { createListeners } from '../listeners.ts';
import type { Settings } from '../preferences/settings.ts';
import { connectPastBlock } from '../tunnel/connect-past-block.ts';
import type { HelperClient } from '../tunnel/helper-client.ts';
import { addressesThroughProxy } from '../way-out/addresses-through-proxy.ts';
import { gatewayByWays } from '../way-out/connect-by-ways.ts';
import type { Core } from './core.ts';
import type { CoreAccount } from './core-account.ts';
import type { CoreOptions } from './core-options.ts';
import { createAskedProxies, type AskedProxies, type CoreWayOut } from './core-way-out.ts';

/** The gateways, the proxies before them, and what both ask the user. */
export interface CoreGateways extends Pick<Core, 'onGatewayForm'> {
  gateways: Gateways;
  proxies: AskedProxies;
  /** What the user signs in with has changed. */
  onCredentials: (listener: () => void) => void;
}

export interface CoreGatewaysOptions extends Pick<
  CoreOptions,
  'environment' | 'version' | 'keychain' | 'openBrowser'
> {
  settings: Settings;
  wayOut: Pick<CoreWayOut, 'ways' | 'isOpen' | 'isInsideTunnel'>;
  say: Say;
  account: Pick<CoreAccount, 'client' | 'session'>;
  helper: HelperClient;
  log: Logger;
}

export function createCoreGateways(options: CoreGatewaysOptions): CoreGateways {
  const { environment, version, wayOut, helper, log } = options;
  const { client, session } = options.account;
  const { ways, isOpen } = wayOut;
  const { apiUrl, helperSocket: socketPath } = environment;
  const forms = createListeners<GatewayForm | null>();
  const credentials = createListeners<void>();
  const gateways = createGateways({
    settings: options.settings,
    keychain: options.keychain,
    client,
    session: () => session.credentials(),
    connect: gatewayByWays(ways, connectPastBlock({ state: () => helper.state(), socketPath, version, log })),
    addressesBy: (own) => addressesThroughProxy(addressesThroughNat64(own, { isOpen }), ways),
    openBrowser: options.openBrowser,
    onForm: (form) => forms.emit(form),
    credentialsChanged: () => credentials.emit(),
    log,
  });
  return {
    gateways,
    proxies: createAskedProxies({
      wayOut,
      apiUrl,
      askUser: gateways.forms.ask,
      isBusy: gateways.forms.isWaiting,
      say: options.say,
    }),
    onGatewayForm: (listener) => forms.add(listener),
    onCredentials: (listener) => credentials.add(listener),
  };
}

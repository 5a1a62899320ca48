import type { Logger } from 'pino';
import type { ApiClient, ApiSession } from '#shared/api/client.ts';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import type { Gateway } from '#shared/tunnel/state.ts';
import type { Settings } from '../preferences/settings.ts';
import type { Keychain } from '../session/keychain.ts';
import { createBanners } from './sign-in/banners.ts';
import { createClientIdentities, type ClientIdentities } from './client-identities.ts';
import { createGatewayAddresses, type GatewayAddresses } from './gateway-addresses.ts';
import { createGatewayForms, type GatewayForms } from './gateway-forms.ts';
import type { ConnectToGateway } from '#node/anyconnect/gateway-tls.ts';
import { createGatewayLogins, type GatewayLogins } from './gateway-logins.ts';
import { signInWithLogins } from './sign-in/sign-in-with-logins.ts';
import { createGatewayMemory, type GatewayMemory } from './gateway-memory.ts';
import { followRedirects } from './sign-in/redirects.ts';
import type { SignedIn, SignIn } from './sign-in/session.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import type { OpenBrowser } from './sign-in/single-sign-on.ts';

/** How this device signs in to gateways, and what it knows about them. */
export interface Gateways {
  addresses: GatewayAddresses;
  memory: GatewayMemory;
  identities: ClientIdentities;
  logins: GatewayLogins;
  forms: GatewayForms;
  signIn: SignIn;
  /** A sign-in to a gateway has succeeded. */
  onSession: (signedIn: SignedIn) => void;
  /** A gateway has said this to its users with the tunnel. */
  onMessage: (gateway: Gateway, text: string) => void;
  /** A gateway has ended the last tunnel with these words, or without any. */
  onGoodbye: (gateway: Gateway, text: string | undefined) => void;
  /** A gateway has refused a sign-in with these words. */
  onWords: (gateway: Gateway, words: string) => void;
  /** Part of a sign-out: passwords, certificates and choices were this user's. */
  forgetUser(): Promise<void>;
}

export interface GatewaysOptions {
  settings: Settings;
  keychain: Keychain;
  client: ApiClient;
  session: () => ApiSession;
  connect: ConnectToGateway;
  /** The addresses by which gateways are reached from this network: those of its proxies, or its translator's. */
  addressesBy: (own: GatewayAddresses) => GatewayAddresses;
  openBrowser: OpenBrowser;
  /** A gateway asks the user something, or no longer does. */
  onForm: (form: GatewayForm | null) => void;
  /** The credentials for a gateway have changed. */
  credentialsChanged: () => void;
  log: Logger;
}

export function createGateways(options: GatewaysOptions): Gateways {
  const { settings, keychain, client, session, log } = options;
  const addresses = options.addressesBy(createGatewayAddresses(settings));
  const memory = createGatewayMemory(settings);
  const forms = createGatewayForms(options.onForm);
  const identities = createClientIdentities({ keychain, memory, changed: options.credentialsChanged, log });
  const logins = createGatewayLogins({ client, session, keychain, log });
  const signInAt = createSignIn({
    pins: () => settings.get('gatewayPins'),
    connect: options.connect,
    memory,
    identity: identities.of,
    openBrowser: options.openBrowser,
    askUser: forms.ask,
    log,
  });
  const { onBanner, onGoodbye } = createBanners({ memory, show: forms.show });
  const credentialsAt = (gateway: Gateway) => logins.known(gateway);
  return {
    addresses,
    memory,
    identities,
    logins,
    forms,
    signIn: signInWithLogins(followRedirects({ signInAt, addresses, memory, log, credentialsAt }), logins),
    onSession: onBanner,
    // Often the same as at the sign-in.
    onMessage: (gateway, banner) => onBanner({ gateway, banner }),
    onGoodbye,
    onWords: ({ host }, words) => void forms.show(host, words),
    async forgetUser() {
      const removed = identities.removeKeys();
      memory.forgetUser();
      await Promise.all([removed, logins.forget()]);
    },
  };
}

import { serverAddress } from '#shared/tunnel/address.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { createSessionPreparation } from '../tunnel/session-preparation.ts';
import type { TunnelController } from '../tunnel/tunnel-controller.ts';
import type { WaysOut } from '../way-out/ways-out.ts';
import type { CoreAccount } from './core-account.ts';
import type { CorePreferences } from './core-preferences.ts';

/** What is done before a click on Connect, which should not have to wait for it, because the click blocks traffic. */
export interface CoreTunnelAhead {
  /** A click is likely. */
  userIsHere(): void;
  /** Something has changed that decides what can be prepared. */
  check(): void;
  follow(state: TunnelState): void;
  close(): void;
}

export function createCoreTunnelAhead(options: {
  account: Pick<CoreAccount, 'isSignedIn' | 'plan'>;
  server: CorePreferences['server'];
  tunnel: Pick<TunnelController, 'state' | 'prepare' | 'resolveAhead'>;
  ways: Pick<WaysOut, 'refresh' | 'learn'>;
}): CoreTunnelAhead {
  const { server, tunnel, ways } = options;
  const { isSignedIn, plan } = options.account;
  const preparation = createSessionPreparation({
    address() {
      // Nothing is known about an account that has just signed in; once it is, this runs again.
      if (!plan.isKnown()) void plan.refresh();
      const chosen = server.server();
      return chosen && serverAddress(chosen);
    },
    // The displayed state: after the click, nothing is looked up, even if the helper does not know of it yet.
    state: () => tunnel.state(),
    isSignedIn,
    prepare: (address) => void tunnel.prepare(address),
  });

  function userIsHere(): void {
    const chosen = server.server();
    const hosts = chosen ? [chosen.domain, ...plan.hosts()] : plan.hosts();
    void ways.refresh().then(() => ways.learn(hosts));
    tunnel.resolveAhead(hosts);
    preparation.userIsHere();
  }

  return {
    userIsHere,
    check: () => preparation.check(),
    follow(state) {
      if (state.state === 'disconnected' && state.reason === undefined) userIsHere();
      else preparation.check();
    },
    close: () => preparation.close(),
  };
}

import { expect, type Locator } from 'playwright/test';
import type { TextKey } from '#shared/texts/texts.ts';
import { Route } from './route.ts';

type StatusKey =
  | Extract<
      TextKey,
      `connect.${'disconnected' | 'connecting' | 'reconnecting' | 'connected' | 'disconnecting' | 'invalid'}`
    >
  | Exclude<Extract<TextKey, `problem.${string}`>, `${string}Text`>;

export class ConnectRoute extends Route {
  protected readonly path = '/vpn';
  protected readonly title = 'connect.title';

  readonly connect = this.named('button', 'connect.connect');
  /** Where the app can route in more than one way. */
  readonly global = this.named('radio', 'routing.global');
  readonly automatic = this.named('radio', 'routing.automatic');
  readonly protection = this.named('region', 'protection.title');
  readonly killSwitch = this.named('switch', 'protection.killSwitch');
  readonly localNetwork = this.named('switch', 'protection.localNetwork');
  /** What opens the traffic that the kill switch blocks without a tunnel. */
  readonly unblock = this.named('button', 'connect.unblock');
  /** The same, said on the account tab, as a way to this one. */
  readonly blockedSummary = this.named('link', 'connect.blocked');
  /** What lets a window alone out to the network's sign-in page. */
  readonly passPortal = this.named('button', 'connect.passPortal');
  readonly disconnect = this.named('button', 'connect.disconnect');
  readonly cancel = this.named('button', 'connect.cancel');
  /** To the shop: where it says what is missing, and below the servers that need it. */
  readonly choosePlan = this.named('link', 'service.choose');
  readonly retry = this.named('button', 'error.retry');
  readonly trialLeft = this.page.getByText(this.text('connect.trialLeft'));
  readonly failed = this.page.getByRole('alert');
  readonly serversFailed = this.page.getByText(this.text('connect.serversFailed'));

  /** Bytes sent through the tunnel, and how fast. */
  get sent(): Locator {
    return this.fact(this.text('connect.sent'));
  }

  /** Where the proxy of automatic routing is described to programs. */
  get proxyConfiguration(): Locator {
    return this.fact(this.text('connect.proxyConfiguration'));
  }

  server(name: string): Locator {
    return this.page.getByRole('radio', { name });
  }

  status(key: StatusKey): Locator {
    return this.page.getByRole('heading', { level: 2, name: this.text(key) });
  }

  /** Resolves when it holds, for a tunnel that is up as well. */
  async switchOn(setting: Locator): Promise<void> {
    await setting.check();
    await this.#settled();
  }

  async switchOff(setting: Locator): Promise<void> {
    await setting.uncheck();
    await this.#settled();
  }

  async #settled(): Promise<void> {
    await expect(this.protection.locator('[aria-busy]')).toHaveAttribute('aria-busy', 'false');
  }

  /** A text as it is on the page. */
  words(key: TextKey): RegExp {
    return this.text(key);
  }

  says(key: TextKey): Locator {
    return this.page.getByText(this.text(key));
  }

  /** The value beside a name in the list of what is known of the tunnel. */
  fact(name: string | RegExp): Locator {
    return this.valueOf(name);
  }
}

import { expect, type Locator } from 'playwright/test';
import type { TextKey } from '#shared/texts/texts.ts';
import { Route } from '../route.ts';
import { SettingsRoute } from '../desktop/settings-route.ts';

type Setting =
  | 'killSwitch'
  | 'localNetwork'
  | 'allowIncoming'
  | 'global'
  | 'automatic'
  | 'byApp'
  | 'byAddress';

type StatusKey =
  | Extract<
      TextKey,
      | `connect.${'disconnected' | 'blocked' | 'connecting' | 'reconnecting' | 'connected' | 'disconnecting'}`
      | `connect.${'needsPlan' | 'signInNeeded'}`
      | 'reason.captivePortal'
      | `cause.${string}Title`
    >
  | Exclude<Extract<TextKey, `problem.${string}`>, `${string}Text`>;

export class ConnectRoute extends Route {
  protected readonly path = '/vpn';
  protected readonly title = 'connect.title';

  readonly connect = this.named('button', 'connect.connect');
  /** The state, the server, and what can be done. */
  readonly card = this.page.locator('section[aria-labelledby="tunnel-status"]');
  readonly welcome = this.named('region', 'welcome.title');
  readonly welcomeRead = this.named('button', 'welcome.close');
  /** What is set of how traffic goes, and the way to where it is set. */
  readonly protection = this.page.getByRole('main').locator('a[href="/settings"]');
  /** What opens the traffic that the kill switch blocks without a tunnel. */
  readonly unblock = this.named('button', 'connect.unblock');
  /** The same, said on the account tab, as a way to this one. */
  readonly blockedSummary = this.named('link', 'connect.blocked');
  /** What lets a window alone out to the network's sign-in page. */
  readonly passPortal = this.named('button', 'connect.passPortal');
  readonly disconnect = this.named('button', 'connect.disconnect');
  readonly cancel = this.named('button', 'connect.cancel');
  /** Where the gateway did not accept the user. */
  readonly signInAgain = this.named('button', 'connect.signInAgain');
  /** To the shop: where it says what is missing, and below the servers that need it. */
  readonly choosePlan = this.named('link', 'service.choose');
  readonly planForServers = this.page.getByRole('dialog').locator('a[href="/purchase"]');
  /** Among the servers: has all of them measured. */
  readonly measure = this.named('button', 'servers.measure');
  /** Takes whichever server answers first. */
  readonly fastest = this.page.getByText(this.text('servers.fastestText'));
  /** Marks the server that Connect goes to. */
  readonly addFavourite = this.named('button', 'servers.addFavourite');
  /** What stands above those that are marked. */
  readonly favourites = this.page.getByText(this.text('servers.favourites'), { exact: true });
  readonly recents = this.page.getByText(this.text('servers.recents'), { exact: true });
  readonly retry = this.named('button', 'error.retry');
  readonly trialLeft = this.page.getByText(this.text('connect.trialLeft'));
  readonly failed = this.page.getByRole('alert');
  readonly serversFailed = this.page.getByText(this.text('connect.serversFailed'));

  /** Bytes sent through the tunnel, and how fast. */
  get sent(): Locator {
    return this.fact(this.text('connect.sent'));
  }

  /** Opens a browser's window that goes through the tunnel. */
  get tunnelWindow(): Locator {
    return this.named('button', 'connect.tunnelWindow');
  }

  /** Where the proxy of automatic routing is described to programs. */
  get proxyConfiguration(): Locator {
    return this.fact(this.text('connect.proxyConfiguration'));
  }

  /** The server that Connect goes to; pressed, it leads to all others. */
  get serverButton(): Locator {
    return this.page.getByRole('button', { name: this.text('servers.change') });
  }

  /** The same, where it is this server. */
  chosen(name: string): Locator {
    return this.serverButton.filter({ hasText: name });
  }

  /** One of the servers to choose from, while they are to be seen; a favourite is there twice. */
  server(name: string): Locator {
    return this.page.getByRole('row', { name }).first();
  }

  get options(): Locator {
    return this.page.getByRole('row');
  }

  get search(): Locator {
    return this.page.getByRole('combobox', { name: this.text('servers.search') });
  }

  /** Shows all servers. */
  async openServers(): Promise<void> {
    const button = this.serverButton.or(this.named('button', 'servers.all'));
    // On a busy machine the service may not have answered in time: the page says so, and people ask again.
    await expect(button.or(this.retry)).toBeVisible();
    if (await this.retry.isVisible()) await this.retry.click();
    await button.click();
    await expect(this.search).toBeVisible();
  }

  async choose(name: string): Promise<void> {
    await this.openServers();
    await this.server(name).click();
    await expect(this.chosen(name)).toBeVisible();
  }

  status(key: StatusKey): Locator {
    return this.page.getByRole('heading', { level: 2, name: this.text(key) });
  }

  /** Does something in the settings, and comes back. */
  async inSettings(act: (settings: SettingsRoute) => Promise<unknown>): Promise<void> {
    const settings = new SettingsRoute(this.page, this.language);
    await this.protection.click();
    await expect(settings.heading).toBeVisible();
    await act(settings);
    await this.follow();
    await expect(this.heading).toBeVisible();
  }

  /** Resolves when it holds, for a tunnel that is up as well. */
  async switchOn(setting: Setting): Promise<void> {
    await this.inSettings((settings) => settings.switchOn(settings[setting]));
  }

  async switchOff(setting: Setting): Promise<void> {
    await this.inSettings((settings) => settings.switchOff(settings[setting]));
  }

  async expectOn(...wanted: Setting[]): Promise<void> {
    await this.inSettings(async (settings) => {
      for (const setting of wanted) await expect(settings[setting]).toBeChecked();
    });
  }

  /** A text as it is on the page. */
  words(key: TextKey): RegExp {
    return this.text(key);
  }

  says(key: TextKey): Locator {
    return this.page.getByText(this.text(key));
  }

  /** Shows and hides all problems but the worst. */
  get otherProblems(): Locator {
    return this.page.locator('summary', { hasText: this.text('problem.others') });
  }

  /** Shows what is folded away of a tunnel that is up. */
  async openDetails(): Promise<void> {
    const summary = this.page.locator('summary', { hasText: this.text('connect.details') });
    const isOpen = await summary.evaluate(({ parentElement }) => parentElement?.hasAttribute('open'));
    if (!isOpen) await summary.click();
  }

  /** What came and went in the last minute, among the details. */
  get graph(): Locator {
    return this.named('img', 'connect.lastMinute');
  }

  /** The button that copies the value beside this name. */
  copyOf(name: string | RegExp): Locator {
    return this.fact(name).getByRole('button');
  }

  /** The value beside a name in the list of what is known of the tunnel. */
  fact(name: string | RegExp): Locator {
    return this.valueOf(name);
  }
}

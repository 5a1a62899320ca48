import { expect, type Locator } from 'playwright/test';
import type { TextKey } from '#shared/texts/texts.ts';
import { Route } from '../route.ts';

export class SettingsRoute extends Route {
  protected readonly path = '/settings';
  protected readonly title = 'settings.title';

  readonly speech = this.named('combobox', 'settings.language');
  readonly theme = this.named('combobox', 'settings.theme');
  readonly notifications = this.named('switch', 'settings.notifications');
  readonly stayConnected = this.named('switch', 'settings.stayConnected');
  /** Where the system can start the app. */
  readonly openAtLogin = this.named('switch', 'settings.openAtLogin');
  readonly connectAtStart = this.named('switch', 'settings.connectAtStart');
  /** Where the helper takes them. */
  readonly ownDns = this.named('textbox', 'settings.dns');
  readonly protocol = this.page.getByLabel(this.text('settings.protocol'), { exact: true });
  readonly killSwitch = this.named('switch', 'protection.killSwitch');
  readonly localNetwork = this.named('switch', 'protection.localNetwork');
  /** Where the helper can tell what was asked for from what was not. */
  readonly allowIncoming = this.named('switch', 'protection.allowIncoming');
  /** Where the helper takes them, and the local network is open. */
  readonly localPrefixes = this.named('textbox', 'protection.localPrefixes');
  /** Where the app learns on which network it is. */
  readonly connectOnUntrusted = this.named('switch', 'networks.connect');
  readonly trustWired = this.named('switch', 'networks.trustWired');
  readonly disconnectOnTrusted = this.named('switch', 'networks.disconnect');
  readonly networksUnavailable = this.says('networks.unavailable');
  readonly network = this.page.getByLabel(this.text('networks.current'), { exact: true });
  readonly trust = this.named('button', 'networks.trustNamed');
  readonly trustedCount = this.named('status', 'networks.list');
  readonly trusted = this.named('list', 'networks.list').getByRole('listitem');
  /** Where the app can route in more than one way. */
  readonly routing = this.named('group', 'routing.title');
  readonly global = this.named('radio', 'routing.global');
  readonly automatic = this.named('radio', 'routing.automatic');
  readonly byApp = this.named('radio', 'routing.app');
  readonly byAddress = this.named('radio', 'routing.address');
  readonly choosePrograms = this.named('button', 'routing.chooseApps');
  readonly programSearch = this.named('searchbox', 'routing.appsSearch');
  readonly programsDone = this.named('button', 'routing.appsDone');
  readonly chosenPrograms = this.named('list', 'routing.apps').getByRole('listitem');
  readonly restartProgram = this.named('button', 'routing.appRestartInsideNamed');
  readonly confirmRestart = this.page
    .getByRole('dialog')
    .getByRole('button', { name: this.text('routing.appRestart') });
  readonly countrySearch = this.named('searchbox', 'routing.countries');
  readonly policy = this.named('combobox', 'routing.policy');
  readonly prefixes = this.named('textbox', 'routing.prefixes');
  readonly through = this.named('textbox', 'routing.through');
  readonly direct = this.named('textbox', 'routing.direct');
  /** A link to a newer release, beside the version of this one. */
  readonly download = this.named('link', 'settings.download');
  readonly licences = this.named('link', 'settings.licences');

  /** What shows, on demand, what a setting means. */
  explain(setting: Locator): Locator {
    return setting.locator('xpath=ancestor::*[label and button][1]/button');
  }

  /** The name of a setting, which is pressed like its control. */
  labelOf(setting: Locator): Locator {
    return setting.locator('xpath=ancestor::*[label and button][1]/label');
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
    await expect(this.page.locator('[aria-busy=true]')).toHaveCount(0);
  }

  /** Takes this network from those that are trusted. */
  distrust(name: string): Locator {
    return this.trusted.filter({ hasText: name }).getByRole('button');
  }

  /** One of the programs to choose from, by its name. */
  program(name: string): Locator {
    return this.page.getByRole('checkbox', { name });
  }

  /** Takes a program from those that are chosen. */
  forgetProgram(name: string): Locator {
    return this.chosenPrograms
      .filter({ hasText: name })
      .getByRole('button', { name: this.text('networks.removeNamed') });
  }

  /** The country's list of addresses, by its name in English. */
  country(name: string): Locator {
    return this.page.getByRole('switch', { name });
  }

  /** A text as it is on the page. */
  words(key: TextKey): RegExp {
    return this.text(key);
  }

  says(key: TextKey): Locator {
    return this.page.getByText(this.text(key));
  }
}

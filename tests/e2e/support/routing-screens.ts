import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, type Page } from 'playwright/test';
import { waitLimit } from '../../lab/wait-limit.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import { SettingsRoute } from '../routes/settings-route.ts';
import { routed } from './route-lists.ts';
import type { Screen } from './screens.ts';
import { languageTags, type TextLanguage } from './texts.ts';

const countries = ['aq', 'be', 'br', 'ca', 'cn', 'de', 'fr', 'gb', 'jp', 'kr', 'sg', 'us'];

/** Lists of so many countries that they are searched; for a service that is to start in this folder. */
export async function writeCountryLists(serviceDirectory: string): Promise<void> {
  const folder = path.join(serviceDirectory, 'route-lists');
  await mkdir(folder, { recursive: true });
  for (const country of countries) {
    await writeFile(path.join(folder, `${country}-ipv4-prefixes.txt`), `${routed.prefixes.join('\n')}\n`);
  }
}

/** What can be set of each routing mode, and what the connect tab says of it, with a tunnel and without. */
export function routingScreens(page: Page, language: TextLanguage): Screen[] {
  const settings = new SettingsRoute(page, language);
  const connect = new ConnectRoute(page, language);
  const country = (code: string) =>
    settings.country(new Intl.DisplayNames([languageTags[language]], { type: 'region' }).of(code) ?? code);
  const enter = async (field: typeof settings.prefixes, text: string) => {
    await field.fill(text);
    await field.press('Enter');
  };
  const connected = async () => {
    await connect.connect.click();
    await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
  };
  const off = async () => {
    await connect.disconnect.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();
  };
  /** The connect tab in the mode that is set. */
  const cards = (mode: string): Screen[] => [
    { name: `connect-${mode}`, route: connect },
    { name: `connected-${mode}`, route: connect, act: connected, sees: connect.disconnect, leave: off },
  ];
  const choose = async (code: string, query: string) => {
    await settings.countrySearch.fill(query);
    await settings.switchOn(country(code));
  };
  return [
    {
      name: 'settings-local-network',
      route: settings,
      act: async () => {
        await settings.switchOn(settings.localNetwork);
        await enter(settings.localPrefixes, '198.51.100.0/24');
        await settings.localPrefixes.scrollIntoViewIfNeeded();
      },
      leave: () => settings.switchOff(settings.localNetwork),
    },
    {
      name: 'settings-automatic',
      route: settings,
      act: async () => {
        await settings.switchOn(settings.automatic);
        await enter(settings.through, 'intranet.example.com, example.org');
        await enter(settings.direct, 'https://');
        await expect(settings.says('routing.domainsInvalid')).toBeVisible();
      },
      leave: () => enter(settings.direct, ''),
    },
    ...cards('automatic'),
    {
      name: 'settings-by-address',
      route: settings,
      act: async () => {
        await settings.switchOn(settings.byAddress);
        await choose('JP', 'jp');
        await choose('DE', 'de');
        await settings.countrySearch.fill('us');
      },
    },
    ...cards('by-address'),
    {
      name: 'settings-by-address-none-found',
      route: settings,
      act: async () => {
        await settings.policy.selectOption({ index: 1 });
        await settings.countrySearch.fill('Atlantis');
      },
    },
    ...cards('by-other-addresses'),
    {
      name: 'settings-by-app-chosen',
      route: settings,
      act: async () => {
        await settings.switchOn(settings.byApp);
        await settings.chooseApps.click();
        await page.getByRole('checkbox').first().check();
        await settings.appsDone.click();
        await expect(settings.chosenApps).toHaveCount(1);
      },
    },
    ...cards('by-app'),
    {
      name: 'settings-all-but-app',
      route: settings,
      act: async () => void (await settings.policy.selectOption({ index: 1 })),
    },
    {
      ...cards('by-other-apps')[1]!,
      leave: async () => {
        await off();
        await settings.follow();
        await settings.switchOn(settings.global);
      },
    },
  ];
}

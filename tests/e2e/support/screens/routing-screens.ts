import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, type Locator, type Page } from 'playwright/test';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { ConnectRoute } from '../../routes/connect/connect-route.ts';
import { SettingsRoute } from '../../routes/desktop/settings-route.ts';
import { routed } from '../tunnel/route-lists.ts';
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

/** Applications that are installed for whoever runs the app with this environment. */
export async function installApps(
  directory: string,
  names: readonly string[],
): Promise<Record<string, string>> {
  const folder = path.join(directory, 'applications');
  await mkdir(folder, { recursive: true });
  for (const [index, name] of names.entries()) {
    const entry = ['[Desktop Entry]', 'Type=Application', `Name=${name}`, 'Exec=/bin/true'];
    await writeFile(path.join(folder, `app-${index}.desktop`), `${entry.join('\n')}\n`);
  }
  return { XDG_DATA_HOME: directory, XDG_DATA_DIRS: path.join(directory, 'nothing') };
}

/**
 * What can be set of each routing mode. Each goes on from what the one before has set, and the last leaves all as it
 * was.
 */
export function routingSettings(page: Page, language: TextLanguage) {
  const route = new SettingsRoute(page, language);
  const country = (code: string) =>
    route.country(new Intl.DisplayNames([languageTags[language]], { type: 'region' }).of(code) ?? code);
  const enter = async (field: Locator, text: string) => {
    await field.fill(text);
    await field.press('Enter');
  };
  const choose = async (code: string, query: string) => {
    await route.countrySearch.fill(query);
    await route.switchOn(country(code));
  };
  const closePicker = () => route.programsDone.click();
  return {
    localNetwork: {
      name: 'settings-local-network',
      route,
      act: async () => {
        await route.switchOn(route.localNetwork);
        await enter(route.localPrefixes, '198.51.100.0/24');
        await route.localPrefixes.scrollIntoViewIfNeeded();
      },
      leave: () => route.switchOff(route.localNetwork),
    },
    automatic: {
      name: 'settings-automatic',
      route,
      act: async () => {
        await route.switchOn(route.automatic);
        await enter(route.through, 'intranet.example.com, example.org');
        await enter(route.direct, 'https://');
        await expect(route.says('routing.domainsInvalid')).toBeVisible();
      },
      leave: () => enter(route.direct, ''),
    },
    byAddress: {
      name: 'settings-by-address',
      route,
      act: async () => {
        await route.switchOn(route.byAddress);
        await choose('JP', 'jp');
        await choose('DE', 'de');
        await route.countrySearch.fill('us');
      },
    },
    noCountryFound: {
      name: 'settings-by-address-none-found',
      route,
      act: async () => {
        await route.policy.selectOption({ index: 1 });
        await route.countrySearch.fill('Atlantis');
        await enter(route.prefixes, '10.0.0.0/33');
      },
      sees: route.says('routing.prefixesInvalid'),
    },
    byApp: {
      name: 'settings-by-app',
      route,
      act: () => route.switchOn(route.byApp),
      sees: route.says('routing.appsNone'),
    },
    apps: {
      name: 'choose-apps',
      route,
      act: async () => {
        await route.choosePrograms.click();
        await expect(page.getByRole('checkbox').first()).toBeVisible();
      },
      sees: route.programsDone,
      leave: closePicker,
    },
    noAppFound: {
      name: 'choose-apps-none-found',
      route,
      act: async () => {
        await route.choosePrograms.click();
        await route.programSearch.fill('Atlantis');
      },
      sees: route.says('routing.appsNoneFound'),
      leave: closePicker,
    },
    appChosen: {
      name: 'choose-apps-chosen',
      route,
      act: async () => {
        await route.choosePrograms.click();
        await page.getByRole('checkbox').first().check();
        // Opened again, it has what is chosen first.
        await closePicker();
        await route.choosePrograms.click();
      },
      sees: route.says('routing.appsChosen'),
      leave: closePicker,
    },
    chosenApp: {
      name: 'settings-by-app-chosen',
      route,
      act: () => expect(route.chosenPrograms).toHaveCount(1),
    },
    allButApp: {
      name: 'settings-all-but-app',
      route,
      act: async () => void (await route.policy.selectOption({ index: 1 })),
      leave: async () => {
        await route.follow();
        await route.switchOn(route.global);
      },
    },
  } as const satisfies Record<string, Screen>;
}

/** The same, and what the connect tab says of each mode, with a tunnel and without. */
export function routingScreens(page: Page, language: TextLanguage): Screen[] {
  const settings = routingSettings(page, language);
  const connect = new ConnectRoute(page, language);
  const connected = async () => {
    await connect.connect.click();
    await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(30_000) });
  };
  const off = async () => {
    await connect.disconnect.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();
  };
  /** The connect tab in the mode that is set. */
  const withTunnel = (mode: string): Screen => ({
    name: `connected-${mode}`,
    route: connect,
    act: connected,
    sees: connect.disconnect,
    leave: off,
  });
  const cards = (mode: string): Screen[] => [{ name: `connect-${mode}`, route: connect }, withTunnel(mode)];
  const { leave: leaveApps, ...allButApp } = settings.allButApp;
  return [
    settings.localNetwork,
    settings.automatic,
    ...cards('automatic'),
    settings.byAddress,
    ...cards('by-address'),
    settings.noCountryFound,
    ...cards('by-other-addresses'),
    settings.byApp,
    settings.apps,
    settings.noAppFound,
    settings.appChosen,
    settings.chosenApp,
    ...cards('by-app'),
    allButApp,
    {
      ...withTunnel('by-other-apps'),
      leave: async () => {
        await off();
        await leaveApps();
      },
    },
  ];
}

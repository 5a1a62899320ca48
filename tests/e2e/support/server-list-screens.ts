import { expect, type Page, type Route as Call } from 'playwright/test';
import type { ServerGroup } from '#shared/entities.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import type { WebviewApp } from '../webview/webview-app.ts';
import type { Screen } from './screens.ts';
import type { TextLanguage } from './texts.ts';

const calls = '**/api/server-groups';
const countries = ['CH', 'DE', 'JP', 'US', 'SG', 'BR', 'ZA', 'AU', 'FR', 'SE'];
const longName = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk';

/** A trial of `servers` servers in ten countries, which ends in so many hours. */
function offer(servers: number, hours: number, name = 'Server'): ServerGroup[] {
  return [
    {
      id: 'many',
      name: name === longName ? longName : 'Starter',
      isTrial: true,
      trialExpiredAt: new Date(Date.now() + hours * 3_600_000).toISOString(),
      items: [
        {
          id: 'many-1',
          level: 1,
          servers: Array.from({ length: servers }, (_, index) => ({
            serverId: `server-${index}`,
            name: `${name} ${index + 1}`,
            domain: `s${index}.example.com`,
            country: countries[index % countries.length],
            load: index % 100,
          })),
        },
      ],
    },
  ];
}

/** What the connect tab looks like with few, many and no servers, and while they load. */
export function serverListScreens(page: Page, language: TextLanguage, app: WebviewApp): Screen[] {
  const route = new ConnectRoute(page, language);
  const answering = (items: ServerGroup[]) => () =>
    page.route(calls, (call) => call.fulfill({ json: { code: 0, msg: '', data: { items } } }));
  const leave = () => page.unroute(calls);
  /** The list that the app has kept would be shown instead. */
  const unkept = (answer: (call: Call) => unknown) => {
    app.storage.delete('serverGroups');
    return page.route(calls, answer);
  };
  const opened = async () => {
    await route.openServers();
    await expect(route.options.first()).toBeVisible();
  };
  const chooser = (name: string, items: ServerGroup[]): Screen => ({
    name,
    route,
    loads: true,
    prepare: answering(items),
    act: opened,
    sees: route.search,
    leave,
  });
  return [
    { name: 'servers-loading', route, loads: true, prepare: () => unkept(() => undefined), leave },
    {
      name: 'servers-none',
      route,
      loads: true,
      prepare: answering([]),
      sees: route.says('connect.noServers'),
      leave,
    },
    {
      name: 'trial-ending',
      route,
      loads: true,
      prepare: answering(offer(1, 3)),
      sees: route.trialLeft,
      leave,
    },
    {
      name: 'long-names',
      route,
      loads: true,
      prepare: answering(offer(3, 70, longName)),
      sees: route.serverButton,
      leave,
    },
    chooser('servers-60', offer(60, 70)),
    chooser('servers-500', offer(500, 70)),
    chooser('servers-long-names', offer(3, 70, longName)),
  ];
}

import { expect, type Page, type Route as Call } from 'playwright/test';
import type { ServerGroup } from '#shared/entities.ts';
import { ConnectRoute } from '../routes/connect-route.ts';
import type { WebviewApp } from '../webview/webview-app.ts';
import type { Screen } from './screens.ts';
import type { TextLanguage } from './texts.ts';

const calls = '**/api/server-groups';
const planCalls = '**/api/my-service';
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
            load: (index % 100) / 100,
          })),
        },
      ],
    },
  ];
}

/** What the connect tab looks like with few, many and no servers, and while they load. */
export function serverListScreens(page: Page, language: TextLanguage, app: WebviewApp): Screen[] {
  const route = new ConnectRoute(page, language);
  const leave = () => page.unroute(calls);
  /** The list that the app has kept would be shown instead. */
  const unkept = (answer: (call: Call) => unknown) => {
    app.storage.delete('serverGroups');
    return page.route(calls, answer);
  };
  const answering = (items: ServerGroup[]) => () =>
    unkept((call) => call.fulfill({ json: { code: 0, msg: '', data: { items } } }));
  const opened = async () => {
    await route.openServers();
    await expect(route.options.first()).toBeVisible();
  };
  /** The chooser, and what has been typed into it. */
  const chooser = (name: string, items: ServerGroup[], typed = ''): Screen => ({
    name,
    route,
    loads: true,
    prepare: answering(items),
    act: async () => {
      await opened();
      await route.search.fill(typed);
    },
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
      name: 'trial',
      route,
      loads: true,
      prepare: answering(offer(1, 70)),
      sees: route.trialLeft,
      leave,
    },
    {
      name: 'plan-expired',
      route,
      loads: true,
      prepare: async () => {
        app.storage.delete('myService');
        await page.route(planCalls, async (call) => {
          const answer = await call.fetch();
          const { data, ...rest } = (await answer.json()) as { data: object };
          const expiredAt = new Date(Date.now() - 86_400_000).toISOString();
          await call.fulfill({ response: answer, json: { ...rest, data: { ...data, expiredAt } } });
        });
        // Of a trial, too, that is over.
        await answering(offer(3, -1))();
      },
      sees: route.status('connect.needsPlan'),
      leave: async () => {
        await page.unroute(planCalls);
        await leave();
        app.storage.delete('myService');
      },
    },
    {
      name: 'servers-failed',
      route,
      loads: true,
      prepare: () =>
        unkept((call) => call.fulfill({ status: 503, json: { code: 503, msg: '', data: null } })),
      sees: route.says('connect.serversFailed'),
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
    chooser('servers-found', offer(60, 70), '1'),
    chooser('servers-none-found', offer(60, 70), 'Atlantis'),
    chooser('servers-long-names', offer(3, 70, longName)),
  ];
}

import { expect, type Page, type Route as Call } from 'playwright/test';
import type { Server, ServerGroup } from '#shared/entities.ts';
import { ConnectRoute } from '../../routes/connect/connect-route.ts';
import type { WebviewApp } from '../../webview/webview-app.ts';
import type { Screen } from './screens.ts';
import { plan, serverNames } from '../service/service.ts';
import type { TextLanguage } from './texts.ts';
import { longName } from './visible-text.ts';

const calls = '**/api/server-groups';
const planCalls = '**/api/my-service';
const countries = ['CH', 'DE', 'JP', 'US', 'SG', 'BR', 'ZA', 'AU', 'FR', 'SE'];

/** So many servers in ten countries. */
const servers = (count: number, name: string, id = 'server'): Server[] =>
  Array.from({ length: count }, (_, index) => ({
    serverId: `${id}-${index}`,
    name: `${name} ${index + 1}`,
    domain: `${id}-${index}.example.com`,
    country: countries[index % countries.length],
    load: (index % 100) / 100,
  }));

/** A trial of so many servers, which ends in so many hours. */
const offer = (count: number, hours: number, name: string = serverNames.first): ServerGroup[] => [
  {
    id: 'many',
    name: name === longName ? longName : 'Starter',
    isTrial: true,
    trialExpiredAt: new Date(Date.now() + hours * 3_600_000).toISOString(),
    items: [{ id: 'many-1', level: 1, servers: servers(count, name) }],
  },
];

/** What comes with a plan. */
const planOffer: ServerGroup = {
  id: 'plan',
  name: plan.name,
  isTrial: false,
  trialExpiredAt: null,
  items: [{ id: 'plan-1', level: 2, servers: servers(4, serverNames.untrusted, 'plan') }],
};

/**
 * Puts the plan of who is signed in where it ends then, or, with null, has never been bought; resolves with the way
 * back.
 */
async function replacePlan(
  page: Page,
  app: WebviewApp,
  expiredAt: Date | null,
): Promise<() => Promise<void>> {
  app.storage.delete('myService');
  await page.route(planCalls, async (call) => {
    const answer = await call.fetch();
    const { data, ...rest } = (await answer.json()) as { data: object };
    const changed = { ...data, expiredAt: expiredAt?.toISOString() ?? null };
    await call.fulfill({ response: answer, json: { ...rest, data: changed } });
  });
  return async () => {
    await page.unroute(planCalls);
    app.storage.delete('myService');
  };
}

/** An answer of the service in the place of its own; the list that the app has kept would be shown instead. */
function answerServers(page: Page, app: WebviewApp, answer: (call: Call) => unknown): Promise<unknown> {
  app.storage.delete('serverGroups');
  return page.route(calls, answer);
}

const offerServers = (page: Page, app: WebviewApp, items: ServerGroup[]) =>
  answerServers(page, app, (call) => call.fulfill({ json: { code: 0, msg: '', data: { items } } }));

/** Whoever is signed in never had a plan, and one comes with servers that the trial has not. */
export async function lackPlan(page: Page, app: WebviewApp): Promise<() => Promise<void>> {
  const restorePlan = await replacePlan(page, app, null);
  await offerServers(page, app, [...offer(3, 20), planOffer]);
  return restorePlan;
}

/** The servers to choose from: as they open, searched, marked, measured, and in need of a plan. */
export function chooserScreens(page: Page, language: TextLanguage, app: WebviewApp): Screen[] {
  const route = new ConnectRoute(page, language);
  const leave = () => page.unroute(calls);
  const opened = async () => {
    await route.openServers();
    await expect(route.options.first()).toBeVisible();
  };
  /** What has been typed into it. */
  const chooser = (name: string, items: ServerGroup[], typed = ''): Screen => ({
    name,
    route,
    loads: true,
    prepare: () => offerServers(page, app, items),
    act: async () => {
      await opened();
      await route.search.fill(typed);
    },
    sees: route.search,
    leave,
  });
  const kept = {
    favourites: ['server-4', 'server-31'],
    recents: ['server-0', 'server-12', 'server-4', 'server-7'],
  };
  let restorePlan: (() => Promise<void>) | undefined;
  return [
    chooser('servers-60', offer(60, 70)),
    chooser('servers-500', offer(500, 70)),
    chooser('servers-found', offer(60, 70), '1'),
    chooser('servers-none-found', offer(60, 70), 'Atlantis'),
    chooser('servers-long-names', offer(3, 70, longName)),
    {
      ...chooser('servers-kept', offer(60, 70)),
      prepare: async () => {
        app.storage.set('keptServers', JSON.stringify(kept));
        await offerServers(page, app, offer(60, 70));
      },
      // With what its keys do.
      act: async () => {
        await expect(route.serverButton).toBeVisible();
        await route.serverButton.press('Enter');
        await expect(route.recents).toBeVisible();
      },
      sees: route.favourites,
    },
    {
      ...chooser('servers-measured', offer(60, 70)),
      prepare: async () => {
        servers(60, '').forEach(({ domain }, index) => app.latencies?.set(domain, 9 + ((index * 37) % 260)));
        app.storage.set('keptServers', JSON.stringify(kept));
        await offerServers(page, app, offer(60, 70));
      },
      act: async () => {
        await opened();
        await route.measure.click();
        await expect(route.measure).toBeEnabled();
      },
      leave: async () => {
        await leave();
        app.storage.delete('keptServers');
      },
    },
    {
      ...chooser('servers-need-plan', offer(3, 20)),
      prepare: async () => {
        restorePlan = await lackPlan(page, app);
      },
      act: opened,
      sees: route.planForServers,
      leave: async () => {
        await restorePlan?.();
        await leave();
      },
    },
    {
      ...chooser('servers-plan-expired', offer(3, -1)),
      prepare: async () => {
        restorePlan = await replacePlan(page, app, new Date(Date.now() - 86_400_000));
        await offerServers(page, app, [...offer(3, -1), planOffer]);
      },
      act: opened,
      sees: route.planForServers,
      leave: async () => {
        await restorePlan?.();
        await leave();
      },
    },
  ];
}

/** What the connect tab looks like with few, many and no servers, and while they load. */
export function serverListScreens(page: Page, language: TextLanguage, app: WebviewApp): Screen[] {
  const route = new ConnectRoute(page, language);
  const leave = () => page.unroute(calls);
  const unkept = (answer: (call: Call) => unknown) => answerServers(page, app, answer);
  const answering = (items: ServerGroup[]) => () => offerServers(page, app, items);
  let restorePlan: (() => Promise<void>) | undefined;
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
        restorePlan = await replacePlan(page, app, new Date(Date.now() - 86_400_000));
        // Of a trial, too, that is over.
        await answering(offer(3, -1))();
      },
      sees: route.status('connect.needsPlan'),
      leave: async () => {
        await restorePlan?.();
        await leave();
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
    ...chooserScreens(page, language, app),
  ];
}

import type { Page } from 'playwright';
import type { ServerGroup } from '#shared/entities.ts';

interface DesktopPageOptions {
  groups: readonly ServerGroup[];
  favourites?: readonly string[];
  recents?: readonly string[];
  chosen?: string | null;
  /** What the tunnel is in. */
  tunnel?: object;
}

/**
 * Before the page's first script, puts a desktop app's transport on it: somebody is signed in, there is no tunnel, and
 * these servers are listed. For what only a page does, such as drawing a list.
 */
export async function actAsDesktop(page: Page, options: DesktopPageOptions): Promise<void> {
  await page.addInitScript((given) => {
    type Listener = (payload: unknown) => void;
    const listeners = new Map<string, Set<Listener>>();
    const emit = (channel: string, payload: unknown) => {
      for (const listener of listeners.get(channel) ?? []) listener(payload);
    };
    const ok = (data: unknown) => ({ ok: true, data });
    const inAYear = new Date(Date.now() + 365 * 24 * 60 * 60_000).toISOString();
    const links =
      'delete_account_url user_privacy_url manage_apps manage_members manage_servers device_login quick_start_url seller_event_url purchase_url pay_url change_service_url';
    const calls: Record<string, unknown> = {
      serverGroups: { items: given.groups },
      myService: { serviceId: 'one', expiredAt: inAYear, seats: 5, service: 'Family' },
      userInfo: { email: 'ada@example.com', profile: { level: 2, firstOrderDone: true, seatsUsed: 1 } },
      basicInfo: {
        probePages: [],
        links: Object.fromEntries(links.split(' ').map((name) => [name, 'https://vpn.example.net/'])),
      },
      trafficStats: { rated: 0, in: 0, out: 0 },
      translations: {},
      pageNotes: { items: [] },
      invitations: { items: [] },
    };
    const session = {
      signedIn: true,
      deviceId: 'b1b0a7fa-5b4c-4b43-8a8c-2d6ef6c26d31',
      persistence: 'keychain',
    };
    const kept = { favourites: [...(given.favourites ?? [])], recents: [...(given.recents ?? [])] };
    const device = {
      name: 'Bench',
      platform: 'linux',
      arch: 'x64',
      version: '1',
      lang: 'en',
      timezone: 'UTC',
    };
    const answers: Record<string, (input: never) => unknown> = {
      'app.describe': () => ({
        kind: 'desktop',
        device,
        hasTunnel: true,
        routingModes: ['global', 'pac'],
        keepsServers: true,
        measuresLatency: true,
      }),
      'api.call': ({ name }: { name: string }) =>
        name in calls ? ok(calls[name]) : { ok: false, failure: { kind: 'refused', code: 404, msg: '' } },
      'session.get': () => session,
      'storage.get': () => null,
      'storage.set': () => true,
      'storage.remove': () => true,
      'tunnel.snapshot': () => given.tunnel ?? { state: 'disconnected' },
      'tunnel.statistics': () => (given.tunnel ? { received: 48_200_000, sent: 3_100_000 } : null),
      'server.chosen': () => given.chosen ?? null,
      'server.choose': () => true,
      'servers.kept': () => kept,
      'servers.setFavourite': ({ serverId, isFavourite }: { serverId: string; isFavourite: boolean }) => {
        kept.favourites = kept.favourites.filter((one) => one !== serverId);
        if (isFavourite) kept.favourites.push(serverId);
        emit('servers.keptChanged', { ...kept });
        return true;
      },
      'servers.measure': () => {
        const servers = given.groups.flatMap(({ items }) => items.flatMap((item) => item.servers));
        for (const [index, { serverId }] of servers.entries()) {
          const milliseconds = index % 23 === 22 ? null : 12 + ((index * 37) % 240);
          emit('servers.measured', [{ serverId, milliseconds, throughTunnel: given.tunnel !== undefined }]);
        }
        return 'measured';
      },
      'worldAddress.get': () => (given.tunnel ? '198.51.100.7' : null),
      'preferences.get': () => ({ routing: 'global', killSwitch: true, localNetwork: false }),
      'gatewayForm.get': () => null,
      'gatewayGroup.get': () => null,
      'gatewayCertificate.get': () => ({ wanted: false, certificate: null }),
      'apps.installed': () => [],
    };
    Object.defineProperty(window, 'waymakerHost', {
      value: {
        request: async (channel: string, input: never) => {
          const answer = answers[channel];
          if (!answer) throw new Error(`nobody answers ${channel}`);
          return await answer(input);
        },
        subscribe(channel: string, listener: Listener) {
          const all = listeners.get(channel) ?? new Set<Listener>();
          listeners.set(channel, all.add(listener));
          return () => void all.delete(listener);
        },
      },
    });
  }, options);
}

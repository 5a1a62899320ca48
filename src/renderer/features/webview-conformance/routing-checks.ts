import type { RouteConfig, RouteMode } from '#shared/tunnel/route-config.ts';
import { mustEqual, mustRefuse, NotChecked, type Check } from './check.ts';
import { invalidParams } from './protocol-checks.ts';

const samples: Record<RouteMode, RouteConfig> = {
  global: { mode: 'global' },
  app: { mode: 'app', routeApps: ['com.example.browser', 'org.example.mail'] },
  ip: { mode: 'ip', routeIps: ['192.0.2.0/24', '2001:db8::/32'], dns: ['192.0.2.53'] },
  pac: { mode: 'pac', pac: { routeDomains: ['example.com'], blockedDomains: ['ads.example'] } },
};

const nothingRouted: readonly RouteConfig[] = [
  { mode: 'app', routeApps: [] },
  { mode: 'ip', routeIps: [] },
];

export const routingChecks: readonly Check[] = [
  {
    subject: 'routing.set',
    rule: 'Keeps each of the app’s routing modes, and routing.get answers what was set.',
    async run({ app }) {
      const { routingModes } = await app.app.describe();
      if (routingModes.length === 0) throw new NotChecked('this app does not route');
      const before = await app.routing.get();
      try {
        for (const mode of routingModes) {
          mustEqual(await app.routing.set(samples[mode]), true, `the reply for mode ${mode}`);
          mustEqual(await app.routing.get(), samples[mode], 'the config read back');
        }
      } finally {
        await app.routing.set(before);
      }
    },
  },
  {
    subject: 'routing.set',
    rule: 'Keeps an empty list of apps or addresses: nothing goes through the tunnel then.',
    async run({ app }) {
      const { routingModes } = await app.app.describe();
      const empty = nothingRouted.filter(({ mode }) => routingModes.includes(mode));
      if (empty.length === 0) throw new NotChecked('this app has no lists');
      const before = await app.routing.get();
      try {
        for (const config of empty) {
          mustEqual(await app.routing.set(config), true, `the reply for mode ${config.mode}`);
          mustEqual(await app.routing.get(), config, 'the config read back');
        }
      } finally {
        await app.routing.set(before);
      }
    },
  },
  {
    subject: 'routing.set',
    rule: 'Answers false for a mode that the app does not have, and changes nothing.',
    async run({ app }) {
      const { routingModes } = await app.app.describe();
      const before = await app.routing.get();
      for (const [mode, config] of Object.entries(samples)) {
        if (routingModes.some((known) => known === mode)) continue;
        mustEqual(await app.routing.set(config), false, `the reply for mode ${mode}`);
        mustEqual(await app.routing.get(), before, 'the config afterwards');
      }
    },
  },
  {
    subject: 'routing.set',
    rule: 'Refuses destinations that are no addresses or prefixes with error -32602.',
    run: ({ transport }) =>
      mustRefuse(transport.request('routing.set', { mode: 'ip', routeIps: ['; reboot'] }), invalidParams),
  },
];

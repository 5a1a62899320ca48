import type { AllowedUntil } from '#shared/host/webview-contract.ts';
import type { RouteConfig, RouteMode } from '#shared/tunnel/route-config.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { randomUuid } from '../../platform/random-uuid.ts';
import { storageKeys } from '../../platform/storage/storage-keys.ts';
import { must, mustEqual, mustRefuse, NotChecked, type AppUnderTest, type Check } from './check.ts';
import { invalidParams } from './protocol-checks.ts';
import { keepingSession } from './storage-checks.ts';

/** An unused address (TEST-NET-1, RFC 5737): a tunnel to it is attempted, and never established. */
const address = 'anyconnect://192.0.2.1:443';
const eventSeconds = 5;
const soonMs = 1000;

/** Longer than an app may take to be asked for a tunnel, to tell of it, and to be told of another end. */
const laterMs = 15_000;

type End = NonNullable<AllowedUntil>;
const endIn = (milliseconds: number, reason: End['reason']): End => ({
  at: Date.now() + milliseconds,
  reason,
});
const soon = (reason: End['reason']) => endIn(soonMs, reason);

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

async function idleTunnel({ app }: AppUnderTest): Promise<void> {
  if (!(await app.app.describe()).hasTunnel) throw new NotChecked('this app has no tunnel');
  const { state } = await app.tunnel.snapshot();
  if (state !== 'disconnected') throw new NotChecked(`the tunnel is ${state}: disconnect it first`);
}

export const tunnelChecks: readonly Check[] = [
  {
    subject: 'tunnel.snapshot',
    rule: 'Tells the tunnel’s state; without a tunnel, invalid with its cause.',
    async run({ app }) {
      const { hasTunnel } = await app.app.describe();
      const { state } = await app.tunnel.snapshot();
      if (!hasTunnel) mustEqual(state, 'invalid', 'the state without a tunnel');
    },
  },
  {
    subject: 'tunnel.statistics',
    rule: 'Answers null while there is no tunnel.',
    async run(under) {
      await idleTunnel(under);
      mustEqual(await under.app.tunnel.statistics(), null, 'the reply');
    },
  },
  {
    subject: 'tunnel.prepare',
    rule: 'Answers null, whether or not the app prepares anything.',
    async run({ app }) {
      mustEqual(await app.tunnel.prepare({ address, login: null }), null, 'the reply');
    },
  },
  {
    subject: 'tunnel.connect',
    rule: 'Answers bad-address for an address that is not anyconnect://host:port.',
    async run(under) {
      await idleTunnel(under);
      for (const bad of ['https://gw.example.net/', 'anyconnect://', 'anyconnect://a b:443', '']) {
        const reply = await under.app.tunnel.connect({ address: bad, allowedUntil: null, login: null });
        mustEqual(reply, { ok: false, error: 'bad-address' }, `the reply for "${bad}"`);
      }
    },
  },
  {
    subject: 'tunnel.connect',
    rule: 'Answers not-signed-in while the storage has no token: removed, or cleared with everything.',
    async run(under) {
      await idleTunnel(under);
      const { storage, tunnel } = under.app;
      const ways = { removed: () => storage.remove(storageKeys.token), cleared: () => storage.clear() };
      await keepingSession(under, async () => {
        for (const [how, end] of Object.entries(ways)) {
          await storage.set({ key: storageKeys.token, value: 'conformance' });
          await end();
          const reply = await tunnel.connect({ address, allowedUntil: null, login: null });
          mustEqual(reply, { ok: false, error: 'not-signed-in' }, `the reply after the token was ${how}`);
        }
      });
    },
  },
  {
    subject: 'tunnel.connect',
    rule: 'Refuses an allowedUntil that is no time with its reason, nor null, with error -32602.',
    async run({ transport }) {
      for (const allowedUntil of ['tomorrow', { at: 'tomorrow', reason: 'trial-ended' }, { at: 0 }]) {
        await mustRefuse(
          transport.request('tunnel.connect', { address, allowedUntil, login: null }),
          invalidParams,
        );
      }
    },
  },
  {
    subject: 'tunnel.connect',
    rule: 'Refuses a login that is neither a user name with a password nor null with error -32602.',
    async run({ transport }) {
      for (const login of ['secret', { username: 'device' }, { username: '', password: 'p' }]) {
        const input = { address, allowedUntil: null, login };
        await mustRefuse(transport.request('tunnel.connect', input), invalidParams);
      }
    },
  },
  {
    subject: 'tunnel.connect',
    rule: 'Ends by itself at allowedUntil, also while it still connects, with its reason.',
    async run(under) {
      await idleTunnel(under);
      await keepingSession(under, () =>
        whileConnecting(
          under,
          () => soon('trial-ended'),
          (hears) => hears('disconnected', 'trial-ended'),
        ),
      );
    },
  },
  {
    subject: 'tunnel.setAllowedUntil',
    rule: 'Moves the end of the tunnel, or takes it away, and answers null.',
    async run(under) {
      await idleTunnel(under);
      await keepingSession(under, async () => {
        const isTold = (await movesEnd(under, soonMs)) || (await movesEnd(under, laterMs));
        must(isTold, `the end that was taken away came within ${laterMs / 1000} s, before the reply`);
      });
    },
  },
  {
    subject: 'tunnel.setAllowedUntil',
    rule: 'Answers null, also while there is no tunnel.',
    async run(under) {
      await idleTunnel(under);
      mustEqual(await under.app.tunnel.setAllowedUntil({ allowedUntil: null }), null, 'the reply');
    },
  },
  {
    subject: 'tunnel.disconnect',
    rule: 'Answers null, also while there is no tunnel.',
    async run(under) {
      await idleTunnel(under);
      mustEqual(await under.app.tunnel.disconnect({}), null, 'the reply');
    },
  },
  {
    subject: 'tunnel.disconnect',
    rule: 'Ends the attempt with the reason that the page gives, such as trial-ended.',
    async run(under) {
      await idleTunnel(under);
      await keepingSession(under, () =>
        whileConnecting(under, noEnd, async (hears) => {
          await under.app.tunnel.disconnect({ reason: 'trial-ended' });
          await hears('disconnected', 'trial-ended');
          const { tunnel } = under.app;
          mustEqual(
            await tunnel.snapshot(),
            { state: 'disconnected', reason: 'trial-ended' },
            'the state at the end',
          );
        }),
      );
    },
  },
  {
    subject: 'tunnel.stateChanged',
    rule: 'Tells each change once.',
    async run(under) {
      await idleTunnel(under);
      const told: string[] = [];
      const leave = under.app.tunnel.stateChanged((state) => told.push(JSON.stringify(state)));
      try {
        await keepingSession(under, () => connectAndDisconnect(under));
        // Wait, because an event that is sent twice may arrive separately.
        await new Promise((resolve) => {
          setTimeout(resolve, soonMs);
        });
      } finally {
        leave();
      }
      const twice = told.find((state, index) => index > 0 && state === told[index - 1]);
      must(twice === undefined, `told twice in a row: ${twice}`);
    },
  },
  {
    subject: 'tunnel.stateChanged',
    rule: 'Tells connecting after tunnel.connect, and disconnected after tunnel.disconnect.',
    async run(under) {
      await idleTunnel(under);
      await keepingSession(under, () => connectAndDisconnect(under));
    },
  },
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

/** Resolves once the app has emitted this state since the tunnel was requested, or since the state of its last call. */
type Hears = (state: TunnelState['state'], reason?: string) => Promise<void>;

const noEnd = () => null;

/** Attempts a tunnel that is never established, until `action` is over. `allowedUntil` is asked when that begins. */
async function whileConnecting(
  { app }: AppUnderTest,
  allowedUntil: () => AllowedUntil,
  action: (hears: Hears) => Promise<void>,
): Promise<void> {
  const heard: TunnelState[] = [];
  let wake: () => void = () => undefined;
  const leave = app.tunnel.stateChanged((state) => {
    heard.push(state);
    wake();
  });
  const hears: Hears = async (state, reason) => {
    const deadline = Date.now() + eventSeconds * 1000;
    const place = () =>
      heard.findIndex(
        (one) => one.state === state && (reason === undefined || ('reason' in one && one.reason === reason)),
      );
    while (place() === -1 && Date.now() < deadline) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, Math.max(0, deadline - Date.now()));
      });
    }
    const wanted = [state, reason].filter(Boolean).join(' ');
    const states = heard.map((one) => one.state).join(', ') || 'nothing';
    must(place() !== -1, `no event ${wanted} within ${eventSeconds} s; heard: ${states}`);
    heard.splice(0, place() + 1);
  };
  try {
    if ((await app.storage.get(storageKeys.token)) === null) {
      await app.storage.set({ key: storageKeys.deviceId, value: randomUuid() });
      await app.storage.set({ key: storageKeys.token, value: 'conformance' });
    }
    mustEqual(
      await app.tunnel.connect({ address, allowedUntil: allowedUntil(), login: null }),
      { ok: true },
      'the reply of tunnel.connect',
    );
    await hears('connecting');
    await action(hears);
  } finally {
    leave();
    await app.tunnel.disconnect({});
  }
}

/**
 * Takes away the end that a tunnel has in `inMs`, and gives it another. False if the app was told too late: its own end
 * may have come before.
 */
async function movesEnd(under: AppUnderTest, inMs: number): Promise<boolean> {
  const { tunnel } = under.app;
  let end = endIn(inMs, 'trial-ended');
  let isTold = false;
  await whileConnecting(
    under,
    () => (end = endIn(inMs, 'trial-ended')),
    async (hears) => {
      mustEqual(await tunnel.setAllowedUntil({ allowedUntil: null }), null, 'the reply');
      const leftMs = end.at - Date.now();
      isTold = leftMs > 0;
      if (!isTold) return;
      await new Promise((resolve) => {
        setTimeout(resolve, leftMs + soonMs);
      });
      const { state } = await tunnel.snapshot();
      mustEqual(state, 'connecting', 'the state after the end that was taken away');
      await tunnel.setAllowedUntil({ allowedUntil: soon('plan-ended') });
      await hears('disconnected', 'plan-ended');
    },
  );
  return isTold;
}

async function connectAndDisconnect(under: AppUnderTest): Promise<void> {
  const { tunnel } = under.app;
  await whileConnecting(under, noEnd, async (hears) => {
    // An app that gave up meanwhile has already said so.
    const { state } = await tunnel.snapshot();
    await tunnel.disconnect({});
    if (state !== 'disconnected') await hears('disconnected');
    mustEqual((await tunnel.snapshot()).state, 'disconnected', 'the state at the end');
  });
}

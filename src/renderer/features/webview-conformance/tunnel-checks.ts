import { storageKeys } from '../../platform/storage/storage-keys.ts';
import {
  address,
  connectAndDisconnect,
  idleTunnel,
  movesEnd,
  noEnd,
  soon,
  soonMs,
  whileConnecting,
} from './attempted-tunnel.ts';
import { must, mustEqual, mustRefuse, type Check } from './check.ts';
import { invalidParams } from './protocol-checks.ts';
import { keepingSession } from './storage-checks.ts';

/** Longer than an app may take to be asked for a tunnel, to tell of it, and to be told of another end. */
const laterMs = 15_000;

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
];

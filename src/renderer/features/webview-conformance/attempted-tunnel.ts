import type { AllowedUntil } from '#shared/host/webview-contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { randomUuid } from '../../platform/random-uuid.ts';
import { storageKeys } from '../../platform/storage/storage-keys.ts';
import { must, mustEqual, NotChecked, type AppUnderTest } from './check.ts';

/** An unused address (TEST-NET-1, RFC 5737): a tunnel to it is attempted, and never established. */
export const address = 'anyconnect://192.0.2.1:443';
const eventSeconds = 5;
export const soonMs = 1000;

type End = NonNullable<AllowedUntil>;
const endIn = (milliseconds: number, reason: End['reason']): End => ({
  at: Date.now() + milliseconds,
  reason,
});
export const soon = (reason: End['reason']) => endIn(soonMs, reason);

/** Rejects with `NotChecked` unless the app has a tunnel that is disconnected. */
export async function idleTunnel({ app }: AppUnderTest): Promise<void> {
  if (!(await app.app.describe()).hasTunnel) throw new NotChecked('this app has no tunnel');
  const { state } = await app.tunnel.snapshot();
  if (state !== 'disconnected') throw new NotChecked(`the tunnel is ${state}: disconnect it first`);
}

/** Resolves once the app has emitted this state since the tunnel was requested, or since the state of its last call. */
type Hears = (state: TunnelState['state'], reason?: string) => Promise<void>;

export const noEnd = () => null;

/** Attempts a tunnel that is never established, until `action` is over. `allowedUntil` is asked when that begins. */
export async function whileConnecting(
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
export async function movesEnd(under: AppUnderTest, inMs: number): Promise<boolean> {
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

export async function connectAndDisconnect(under: AppUnderTest): Promise<void> {
  const { tunnel } = under.app;
  await whileConnecting(under, noEnd, async (hears) => {
    // An app that gave up meanwhile has already said so.
    const { state } = await tunnel.snapshot();
    await tunnel.disconnect({});
    if (state !== 'disconnected') await hears('disconnected');
    mustEqual((await tunnel.snapshot()).state, 'disconnected', 'the state at the end');
  });
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { maxPortalMs } from '#shared/helper/protocol.ts';
import type { HostImplementation } from '#shared/host/contract.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { probePortal } from './captive-portal.ts';
import type { HelperClient } from './helper-client.ts';

/** How often it is checked whether the portal lets traffic through. */
const probeEveryMs = 2_000;

/**
 * Shows a web page only through an HTTP proxy on this machine, in a window whose storage ends with it. Resolves when
 * the window is closed, by the user or by the signal.
 */
export type OpenPortalWindow = (page: {
  address: string;
  proxyPort: number;
  signal: AbortSignal;
}) => Promise<void>;

/**
 * Lets the user sign in to a network while traffic is blocked: for a limited time, the helper lets one window out, and
 * nothing else. The host contract's `portal` group.
 */
export function createPortalSignIn(options: {
  helper: Pick<HelperClient, 'call' | 'state' | 'onState'>;
  /** Where portals show themselves. */
  address: string;
  openWindow: OpenPortalWindow;
  /** There is a sign-in page, or none. */
  onFound: (isThere: boolean) => void;
  onPassed: () => void;
  log: Logger;
}): HostImplementation['portal'] {
  const { helper, address, openWindow, onFound, onPassed, log } = options;
  let current: AbortController | undefined;

  helper.onState((state) => {
    if (!isHeldBack(state)) current?.abort();
  });

  async function run(proxyPort: number, end: AbortController): Promise<void> {
    const { signal } = end;
    const limit = setTimeout(() => end.abort(), maxPortalMs);
    void openWindow({ address, proxyPort, signal })
      .catch((error: unknown) => log.error({ err: error }, 'the portal could not be shown'))
      .finally(() => end.abort());
    const isPassed = await hasPassed(address, proxyPort, signal);
    clearTimeout(limit);
    end.abort();
    await helper.call('closePortal', {});
    if (isPassed) onPassed();
  }

  /** The state may suggest a portal where there is none, so it is looked for once the way is open. */
  async function start(end: AbortController): Promise<'shown' | 'absent'> {
    const { proxyPort } = await helper.call('openPortal', { forMs: maxPortalMs });
    const found = await probePortal(address, proxyPort);
    if (found === 'portal' && !end.signal.aborted) {
      onFound(true);
      void run(proxyPort, end)
        .catch((error: unknown) => log.warn({ err: error }, 'the way to the portal was not closed'))
        .finally(() => (current = undefined));
      return 'shown';
    }
    current = undefined;
    await helper.call('closePortal', {});
    onFound(false);
    return 'absent';
  }

  return {
    async open() {
      if (current) return 'shown';
      current = new AbortController();
      try {
        return await start(current);
      } catch (error) {
        log.warn({ err: error }, 'the way to the portal was not opened');
        current = undefined;
        return 'failed';
      }
    },
  };
}

const isHeldBack = (state: TunnelState) =>
  state.state === 'connecting' || ('blocked' in state && state.blocked === true);

/** False if aborted first. */
async function hasPassed(address: string, proxyPort: number, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if ((await probePortal(address, proxyPort)) === 'service') return !signal.aborted;
    await delay(probeEveryMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

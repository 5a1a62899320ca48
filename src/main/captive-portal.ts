import { portalProbePath } from '#shared/constants.ts';
import type { DisconnectReason, TunnelState } from '#shared/tunnel/state.ts';

const probeTimeoutMs = 5_000;
/** No probe sooner after the one before. */
const probeEveryMs = 30_000;
/** For how long what was found explains anything: by then the machine may be in another network. */
const foundForMs = 10 * 60_000;

/** What a gateway looks like from behind a portal that answers nothing, or in everybody's name. */
const suspicious: ReadonlySet<DisconnectReason | undefined> = new Set<DisconnectReason>([
  'gateway-name-unknown',
  'gateway-unreachable',
  'gateway-certificate-refused',
]);

/** Finds out whether it is a captive portal that keeps gateways out of reach. */
export interface CaptivePortal {
  /** Probes if this state makes a portal likely, or before traffic is blocked and with it every probe. */
  consider(state: TunnelState): void;
  /** The state with the portal as its reason, where one was found. */
  explain(state: TunnelState): TunnelState;
}

export function createCaptivePortal(options: {
  isThere: () => Promise<boolean>;
  /** What was found is another than before. */
  onChange: () => void;
}): CaptivePortal {
  let found = false;
  let probedAt = -Infinity;
  const isFound = () => found && performance.now() - probedAt < foundForMs;

  async function probe(): Promise<void> {
    if (performance.now() - probedAt < probeEveryMs) return;
    const before = isFound();
    found = false;
    probedAt = performance.now();
    found = await options.isThere();
    if (found !== before) options.onChange();
  }

  return {
    consider(state) {
      if (state.state !== 'disconnected' || state.blocked) return;
      void probe();
    },
    explain(state) {
      if (!isFound() || state.state !== 'disconnected' || !suspicious.has(state.reason)) return state;
      return { ...state, reason: 'captive-portal' };
    },
  };
}

/**
 * Where a portal shows itself, to a probe as to a browser: a page of the service over plain http, since portals cannot
 * answer in the place of https.
 */
export function portalAddress(apiUrl: string): string {
  const url = new URL(portalProbePath, apiUrl);
  if (url.protocol === 'https:') {
    url.protocol = 'http:';
    url.port = '';
  }
  return url.href;
}

/**
 * Whether somebody else answers for the service: with another page, with the way to another host, or with status 511
 * (RFC 6585 §6). A service without that page, or behind https alone, is none; nor is no answer.
 */
export async function isBehindPortal(address: string): Promise<boolean> {
  try {
    const reply = await fetch(address, {
      headers: { connection: 'close' },
      redirect: 'manual',
      signal: AbortSignal.timeout(probeTimeoutMs),
    });
    await reply.body?.cancel();
    const location = reply.headers.get('location');
    if (reply.status >= 300 && reply.status < 400 && location !== null) {
      return URL.parse(location, address)?.hostname !== new URL(address).hostname;
    }
    return reply.status === 200 || reply.status === 511;
  } catch {
    return false;
  }
}

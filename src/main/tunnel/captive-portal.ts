import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { portalProbePath } from '#shared/constants.ts';
import { mayBePortal } from '#shared/tunnel/look.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';
import { lenientHttp } from '../gateway/lenient-http.ts';

const probeTimeoutMs = 5_000;
/** The minimum time between two probes. */
const probeEveryMs = 30_000;
/** How long a found portal explains failures; after that, the machine may be on another network. */
const foundForMs = 10 * 60_000;

/** Finds out whether a captive portal keeps gateways out of reach. */
export interface CaptivePortal {
  /** Probes if this state makes a portal likely, or before traffic and all probes are blocked. */
  consider(state: TunnelState): void;
  /** The state with the portal as its reason, if one was found. */
  explain(state: TunnelState): TunnelState;
  /** The user has looked for one, or has signed in to it. */
  look(isThere: boolean): void;
}

export function createCaptivePortal(options: {
  isThere: () => Promise<boolean>;
  /** The result has changed, or the state is to be considered again. */
  onChange: () => void;
}): CaptivePortal {
  let found = false;
  let probedAt = -Infinity;
  /** How often it was looked whether there is one. */
  let looks = 0;
  let again: NodeJS.Timeout | undefined;
  const isFound = () => found && performance.now() - probedAt < foundForMs;

  async function probe(): Promise<void> {
    if (performance.now() - probedAt < probeEveryMs) return;
    const before = isFound();
    found = before;
    probedAt = performance.now();
    looks += 1;
    const look = looks;
    const isThere = await options.isThere();
    // Meanwhile, the user has looked, or has passed it.
    if (look !== looks) return;
    found = isThere;
    if (found !== before) options.onChange();
  }

  /** The user may sign in by a browser, of which nobody here is told. */
  function lookAgain(): void {
    clearTimeout(again);
    if (isFound()) again = setTimeout(options.onChange, probeEveryMs).unref();
  }

  return {
    consider(state) {
      if (state.state !== 'disconnected' || state.blocked) return;
      void probe().then(lookAgain);
    },
    explain(state) {
      if (!isFound() || state.state !== 'disconnected' || !mayBePortal(state)) return state;
      return { ...state, reason: 'captive-portal' };
    },
    look(isThere) {
      looks += 1;
      found = isThere;
      probedAt = performance.now();
      options.onChange();
    },
  };
}

/**
 * Where a portal shows itself to probes and browsers: a page of the service over plain http, because portals cannot
 * imitate https.
 */
export function portalAddress(apiUrl: string): string {
  const url = new URL(portalProbePath, apiUrl);
  if (url.protocol === 'https:') {
    url.protocol = 'http:';
    url.port = '';
  }
  return url.href;
}

/** Who answers for the service; `nobody`: no answer, or nothing can be concluded. */
export type PortalProbe = 'service' | 'portal' | 'nobody';

/**
 * A portal answers with another page, a redirect to another host, or status 511 (RFC 6585 §6). A service without that
 * page, or with https only, does not count as a portal. `proxyPort`: through the helper's proxy, past a block.
 */
export async function probePortal(address: string, proxyPort?: number): Promise<PortalProbe> {
  try {
    const { statusCode: status = 0, headers } = await ask(address, proxyPort);
    if (status === 204) return 'service';
    if (status >= 300 && status < 400 && headers.location !== undefined) {
      const target = URL.parse(headers.location, address)?.hostname;
      return target === new URL(address).hostname ? 'service' : 'portal';
    }
    return status === 200 || status === 511 ? 'portal' : 'nobody';
  } catch {
    return 'nobody';
  }
}

/** The head of the answer; the body does not matter. */
async function ask(address: string, proxyPort: number | undefined): Promise<IncomingMessage> {
  const url = new URL(address);
  const to =
    proxyPort === undefined
      ? urlToHttpOptions(url)
      : { hostname: '127.0.0.1', port: proxyPort, path: address };
  const request = get({
    ...to,
    ...lenientHttp,
    headers: { host: url.host, connection: 'close' },
    signal: AbortSignal.timeout(probeTimeoutMs),
    agent: false,
  });
  try {
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  } finally {
    request.on('error', () => undefined);
    request.destroy();
  }
}

import { isIP } from 'node:net';
import { z } from 'zod';
import { apiCalls } from '#shared/api/calls.ts';
import type { ApiClient } from '#shared/api/client.ts';
import { webAddress } from '#shared/host/web-address.ts';
import type { TunnelState } from '#shared/tunnel/state.ts';

/** The service's answer, or that of any service that only returns the address. */
const answer = z.object({ code: z.literal(0), data: apiCalls.address.data });
const maxAnswerBytes = 1024;

export interface WorldAddress {
  /** This machine's address as others see it through the current tunnel; null if it is not known. */
  get(): Promise<string | null>;
}

export interface WorldAddressOptions {
  state: () => TunnelState;
  client: ApiClient;
  /** The service's address. */
  apiUrl: string;
  /** Stops reading after this many bytes, and rejects a longer answer. */
  fetch: (
    url: string,
    request: { method: string; headers: Record<string, string> },
    maxBytes: number,
  ) => Promise<{ status: number; text: string }>;
}

/**
 * Asks the operator's address service through the tunnel, once for each connection, when somebody looks. Only if all
 * traffic goes through the tunnel: otherwise the answer would not be the tunnel's address.
 */
export function createWorldAddress(options: WorldAddressOptions): WorldAddress {
  let asked: { connection: string; answer: Promise<string | null> } | undefined;

  function connection(): string | undefined {
    const state = options.state();
    if (state.state !== 'connected' || state.routing.mode !== 'global' || state.ownedByOther)
      return undefined;
    return `${state.gateway.host} ${state.gateway.port} ${state.since}`;
  }

  async function ask(): Promise<string | null> {
    const info = await options.client.call('basicInfo');
    const named = info.ok ? info.data.addressUrl : undefined;
    const url = named !== undefined && webAddress(URL.parse(named, options.apiUrl)?.href ?? '');
    if (!url) return null;
    const headers = { Accept: 'application/json, text/plain' };
    const { status, text } = await options.fetch(url, { method: 'GET', headers }, maxAnswerBytes);
    return status === 200 ? addressIn(text) : null;
  }

  return {
    async get() {
      const now = connection();
      if (now === undefined) return null;
      if (asked?.connection !== now) {
        asked = { connection: now, answer: ask().catch(() => null) };
      }
      const address = await asked.answer;
      // The answer belongs to that connection; there may be another one by now.
      return connection() === now ? address : null;
    },
  };
}

function addressIn(text: string): string | null {
  const plain = text.trim();
  if (isIP(plain) !== 0) return plain;
  return answer.parse(JSON.parse(text)).data.address;
}

import type { Gateway } from '#shared/tunnel/state.ts';
import { authority } from '../authority.ts';
import type { GatewayMemory } from '../gateway-memory.ts';
import type { SignedIn } from './session.ts';

export interface BannersOptions {
  memory: Pick<GatewayMemory, 'hasRead' | 'setRead'>;
  /** Shows a text of the gateway with this host name; true once the user has read it. */
  show: (gateway: string, text: string) => Promise<boolean>;
}

/**
 * Shows gateways' banners: each text until it has been read, and not again. One of a gateway's at a time, then the last
 * one that it has sent meanwhile: it may send another one each few seconds.
 */
export function createBanners({
  memory,
  show,
}: BannersOptions): (from: Pick<SignedIn, 'gateway' | 'banner'>) => void {
  const showing = new Map<string, { text: string; next: string | undefined }>();

  async function present(gateway: Gateway, text: string): Promise<void> {
    const place = authority(gateway);
    const shown = { text, next: undefined as string | undefined };
    showing.set(place, shown);
    const isRead = await show(gateway.host, text);
    if (isRead) memory.setRead(gateway, text);
    showing.delete(place);
    if (isRead && shown.next !== undefined) take(gateway, shown.next);
  }

  function take(gateway: Gateway, text: string): void {
    if (memory.hasRead(gateway, text)) return;
    const shown = showing.get(authority(gateway));
    if (!shown) void present(gateway, text);
    else if (shown.text !== text) shown.next = text;
  }

  return ({ gateway, banner }) => {
    if (banner !== undefined) take(gateway, banner);
  };
}

import type { GatewayMemory } from '../gateway-memory.ts';
import type { SignedIn } from './session.ts';

export interface BannersOptions {
  memory: Pick<GatewayMemory, 'hasRead' | 'setRead'>;
  /** Shows a text of the gateway with this host name; true once the user has read it. */
  show: (gateway: string, text: string) => Promise<boolean>;
}

/** Shows gateways' banners: each text until it has been read, and not again. */
export function createBanners({
  memory,
  show,
}: BannersOptions): (from: Pick<SignedIn, 'gateway' | 'banner'>) => void {
  const shown = new Set<string>();
  return ({ gateway, banner }) => {
    if (banner === undefined || memory.hasRead(gateway, banner) || shown.has(banner)) return;
    shown.add(banner);
    void show(gateway.host, banner).then((read) => {
      if (read) memory.setRead(gateway, banner);
      shown.delete(banner);
    });
  };
}

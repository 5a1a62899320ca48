import type { Gateway } from '#shared/tunnel/state.ts';
import { authority } from '../authority.ts';
import type { GatewayMemory } from '../gateway-memory.ts';
import type { SignedIn } from './session.ts';

type ReadTexts = Pick<GatewayMemory, 'hasRead' | 'setRead'>;

export interface BannersOptions {
  memory: ReadTexts;
  /** Shows a text of the gateway with this host name; true once the user has read it. */
  show: (gateway: string, text: string) => Promise<boolean>;
}

export interface Banners {
  /** Each is shown until it has been read, and not again. */
  onBanner: (from: Pick<SignedIn, 'gateway' | 'banner'>) => void;
  /** What a gateway has said as it ended the last tunnel is shown whenever it does so; undefined: nothing. */
  onGoodbye: (gateway: Gateway, text: string | undefined) => void;
}

/** What has been read is no news for so long, also of another tunnel: a gateway may end each one that it grants. */
const goodbyeIsOldMs = 10 * 60_000;

/**
 * Shows what gateways say to their users. One text of a gateway's at a time, then the last one that it has sent
 * meanwhile: it may send another one each few seconds.
 */
export function createBanners({ memory, show }: BannersOptions): Banners {
  const goodbyes = rememberGoodbyes();
  const showing = new Map<string, { text: string; next: (() => void) | undefined }>();

  async function present(gateway: Gateway, text: string, read: ReadTexts): Promise<void> {
    const place = authority(gateway);
    const shown = { text, next: undefined as (() => void) | undefined };
    showing.set(place, shown);
    const isRead = await show(gateway.host, text);
    if (isRead) read.setRead(gateway, text);
    showing.delete(place);
    if (isRead) shown.next?.();
  }

  function take(gateway: Gateway, text: string, read: ReadTexts): void {
    if (read.hasRead(gateway, text)) return;
    const shown = showing.get(authority(gateway));
    if (!shown) void present(gateway, text, read);
    else if (shown.text !== text) shown.next = () => take(gateway, text, read);
  }

  return {
    onBanner({ gateway, banner }) {
      if (banner !== undefined) take(gateway, banner, memory);
    },
    onGoodbye(gateway, text) {
      goodbyes.follow(gateway, text);
      if (text !== undefined) take(gateway, text, goodbyes);
    },
  };
}

/** The last one of each gateway, which it goes on to have said until there is another tunnel: `follow` is told. */
function rememberGoodbyes(): ReadTexts & { follow(gateway: Gateway, text: string | undefined): void } {
  const read = new Map<string, { text: string; at: number; isOver: boolean }>();
  const said = new Set<string>();
  return {
    follow(gateway, text) {
      const place = authority(gateway);
      const last = read.get(place);
      if (text === undefined) {
        said.delete(place);
        if (last) last.isOver = true;
      } else {
        said.add(place);
        if (last?.text === text && performance.now() - last.at < goodbyeIsOldMs) last.isOver = false;
      }
    },
    hasRead(gateway, text) {
      const last = read.get(authority(gateway));
      return last?.text === text && !last.isOver;
    },
    setRead(gateway, text) {
      const place = authority(gateway);
      read.set(place, { text, at: performance.now(), isOver: !said.has(place) });
    },
  };
}

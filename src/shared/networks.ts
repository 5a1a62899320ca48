import * as z from 'zod/mini';

/** Of the platform, whichever it is. */
declare class TextDecoder {
  constructor(encoding: 'utf-8', options: { ignoreBOM: boolean });
  decode(bytes: Uint8Array): string;
}

/**
 * The name of a Wi-Fi network (SSID) in hexadecimal. Whoever sets a network up chooses up to 32 bytes for it (IEEE
 * 802.11), which need not be text.
 */
export const ssid = z.string().check(z.regex(/^(?:[\da-f]{2}){1,32}$/));

export const maxTrustedNetworks = 100;

/** What the computer is connected to the world by. */
export const currentNetwork = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({
    kind: z.literal('wifi'),
    /** Absent while it is not known. */
    ssid: z.optional(ssid),
    /** Whether only those get in who know a password or have an account (WPA); WEP and OWE keep nobody out. */
    isProtected: z.boolean(),
  }),
  z.object({ kind: z.literal('wired') }),
  /** A mobile network, for one. */
  z.object({ kind: z.literal('other') }),
]);
export type CurrentNetwork = z.infer<typeof currentNetwork>;

/** Which networks the user trusts. */
export interface TrustRules {
  trustWired: boolean;
  /** SSIDs. */
  trustedNetworks: readonly string[];
}

/**
 * Whether the user trusts this network; undefined while there is none. A name is compared by its bytes. Anybody can
 * give a network of theirs a trusted name, and without a password to know everybody would be in it: an open network is
 * never trusted.
 */
export function isTrusted(network: CurrentNetwork, rules: TrustRules): boolean | undefined {
  switch (network.kind) {
    case 'none':
      return undefined;
    case 'wifi':
      return (
        network.isProtected && network.ssid !== undefined && rules.trustedNetworks.includes(network.ssid)
      );
    case 'wired':
      return rules.trustWired;
    case 'other':
      return false;
    default:
      return network satisfies never;
  }
}

/**
 * An SSID to show: without what is no text or makes text read otherwise than it is written (UAX #9). Where that has
 * changed anything the bytes stand behind it, so that two names that look alike can be told apart.
 */
export function ssidText(name: string): string {
  const bytes = Uint8Array.from(name.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  const clean = text
    .replace(/[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u{fffd}]/gu, '')
    .replace(/\p{Z}+/gu, ' ')
    .trim();
  return clean === text ? clean : `${clean} (${name})`.trim();
}

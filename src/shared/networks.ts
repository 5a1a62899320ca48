import * as z from 'zod/mini';

/** Exists on every platform. */
declare class TextDecoder {
  constructor(encoding: 'utf-8', options: { ignoreBOM: boolean });
  decode(bytes: Uint8Array): string;
}

/**
 * The name of a Wi-Fi network (SSID) in hexadecimal: up to 32 bytes of any kind (IEEE 802.11), which need not be text.
 */
export const ssid = z.string().check(z.regex(/^(?:[\da-f]{2}){1,32}$/));

export const maxTrustedNetworks = 100;

/** The kind of network by which the computer is connected. */
export const currentNetwork = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('none') }),
  z.object({
    kind: z.literal('wifi'),
    /** Absent if it is not known. */
    ssid: z.optional(ssid),
    /** Whether the network lets in only people with a password or an account (WPA); WEP and OWE keep nobody out. */
    isProtected: z.boolean(),
  }),
  z.object({ kind: z.literal('wired') }),
  /** For example, a mobile network. */
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
 * Whether the user trusts this network; undefined if there is none. Names are compared byte by byte. Anybody can give
 * their network a trusted name, and without a password everybody could be in it, so an open network is never trusted.
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
 * An SSID for display, without characters that are not text or that change the reading order (UAX #9). If that changed
 * anything, the bytes are appended, so that two names that look alike can be distinguished.
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

import * as z from 'zod/mini';
import { tunnelPreferences } from '#shared/host/preferences.ts';
import { readTyped } from '#shared/typed-text.ts';

/** This machine, its links, and multicast (RFC 6890): nobody answers there through a tunnel. */
const unreachable =
  /^(?:0|127|22[4-9]|23\d|24\d|25[0-5])\.|^169\.254\.|^::|^fe[89ab][0-9a-f]:|^ff[0-9a-f]{2}:/i;

const address = z.union([z.ipv4(), z.ipv6()]);

/** The resolvers in a list that somebody typed; undefined if a tunnel could not use one of them. */
export function readResolvers(text: string): string[] | undefined {
  const listed = readTyped(text)
    .split(/[\s,、;]+/)
    .filter(Boolean);
  const isUsable = listed.every((one) => address.safeParse(one).success && !unreachable.test(one));
  return isUsable ? tunnelPreferences.shape.dns.safeParse([...new Set(listed)]).data : undefined;
}

import * as z from 'zod/mini';
import { maxTrustedNetworks, ssid } from '../networks.ts';
import { isCanonicalPrefix } from '../tunnel/prefix.ts';
import { ownDomains } from '../tunnel/route-config.ts';
import { ipPolicy, localPrefixes } from '../tunnel/state.ts';
import { languageChoice, themeChoice } from './common-contract.ts';
import { programChoice } from './routed-programs.ts';

/** What is routed by address: all prefixes that the service lists for these countries, and the user's own prefixes. */
export const addressChoice = z.object({
  policy: ipPolicy,
  /** ISO 3166-1 alpha-2, in lower case. */
  countries: z.array(z.string().check(z.regex(/^[a-z]{2}$/))).check(z.maxLength(50)),
  prefixes: z.array(z.string().check(z.refine(isCanonicalPrefix))).check(z.maxLength(1000)),
});
export type AddressChoice = z.infer<typeof addressChoice>;

/** Names that the user has added to the service's domains, and removed from them, each with its subdomains. */
export const domainChoice = z.object({ through: ownDomains, direct: ownDomains });
export type DomainChoice = z.infer<typeof domainChoice>;

/** What the user has chosen about how the tunnel works, kept over restarts. */
export const tunnelPreferences = z.object({
  /**
   * Routes all traffic, or what the service says belongs in the tunnel (specification §4, route mode), or by `apps` or
   * `addresses`.
   */
  routing: z.enum(['global', 'automatic', 'app', 'address']),
  /** For routing `app`; while no program is chosen, all traffic is routed. Absent if this is not available. */
  apps: z.optional(programChoice),
  /** For routing `address`; while nothing is chosen, all traffic is routed. Absent if this is not available. */
  addresses: z.optional(addressChoice),
  /** For routing `automatic`, if it uses the service's domains. Absent if this is not available. */
  domains: z.optional(domainChoice),
  /** If true, only an explicit disconnect unblocks traffic. */
  killSwitch: z.boolean(),
  /** While everything goes through the tunnel, destinations on directly attached networks stay reachable outside it. */
  localNetwork: z.boolean(),
  /**
   * Attached networks that then stay reachable too, although their addresses are public. Absent if this is not
   * available.
   */
  localPrefixes: z.optional(localPrefixes),
  /**
   * Whether who is behind the server may open connections to this computer, whatever the server. Absent if this is not
   * available.
   */
  allowIncoming: z.optional(z.boolean()),
  /**
   * Resolvers to ask through the tunnel instead of the server's; if empty, the server's. Absent if this is not
   * available.
   */
  dns: z.optional(z.array(z.union([z.ipv4(), z.ipv6()])).check(z.maxLength(3))),
});
export type TunnelPreferences = z.infer<typeof tunnelPreferences>;

/** What the user has chosen about how the app behaves; a host leaves out what it does not support. */
export const appPreferences = z.object({
  language: languageChoice,
  theme: themeChoice,
  /** Whether the system starts the app when its user signs in to the computer. */
  openAtLogin: z.boolean(),
  /** Whether the app connects as soon as it starts. */
  connectAtStart: z.boolean(),
  /** What happens to the tunnel when the user quits the app. */
  onQuit: z.enum(['disconnect', 'keep']),
  /** Whether system notifications tell the user what happens. */
  notifications: z.boolean(),
  /** Whether the app connects as soon as the computer is on a network that is not trusted. */
  connectOnUntrusted: z.boolean(),
  /** Whether such a connection ends on a trusted network; with the kill switch on it never does. */
  disconnectOnTrusted: z.boolean(),
  trustWired: z.boolean(),
  trustedNetworks: z.array(ssid).check(z.maxLength(maxTrustedNetworks)),
  /** Whether somebody has read the welcome text of the connect tab on this device. */
  welcomed: z.boolean(),
  /**
   * The app's settings were damaged, and are those of the last copy (`restored`) or the app's defaults (`lost`), until
   * the user has read it; null or absent: nothing is to be said.
   */
  settingsDamage: z.nullable(z.enum(['restored', 'lost'])),
});

export const preferences = z.object({
  ...tunnelPreferences.shape,
  ...z.partial(appPreferences).shape,
});
export type Preferences = z.infer<typeof preferences>;
export const defaultPreferences: TunnelPreferences = {
  routing: 'global',
  killSwitch: false,
  localNetwork: false,
};

import { isIP } from 'node:net';
import { z } from 'zod';
import { gatewayPath } from '#shared/tunnel/address.ts';
import { isLocalPrefix } from '#shared/tunnel/prefix.ts';
import { gateway } from '#shared/tunnel/state.ts';
import { appChoice, type AppChoice } from '#shared/host/routed-apps.ts';
import {
  addressChoice,
  domainChoice,
  languageChoice,
  themeChoice,
  type AddressChoice,
  type DomainChoice,
} from '#shared/host/contract.ts';
import { maxTrustedNetworks, ssid } from '#shared/networks.ts';
import { zoomLevels } from './zoom-levels.ts';

/** A small JSON file of the app's own, such as electron-store keeps. Every method may throw. */
export interface KeyValueFile {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): void;
  clear(): void;
}

const noAddresses: AddressChoice = { policy: 'include', countries: [], prefixes: [] };
const noDomains: DomainChoice = { through: [], direct: [] };

const noApps: AppChoice = { policy: 'include', ids: [] };

const proxyBefore = z
  .object({
    own: z.object({ address: z.string().nullable(), mode: z.string().nullable() }),
    pacUrls: z.array(z.string()),
  })
  .optional()
  .catch(undefined);

/** In pixels that do not depend on the display's density, from the first display's corner; others may lie left of it. */
const windowPlace = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }),
  isMaximized: z.boolean(),
});
export type WindowPlace = z.infer<typeof windowPlace>;

const knownGateway = z.object({
  path: z.optional(gatewayPath).catch(undefined),
  listed: z.optional(gateway).catch(undefined),
  group: z.object({ value: z.string(), label: z.string() }).optional().catch(undefined),
  banner: z.string().optional().catch(undefined),
  certificate: z.string().optional().catch(undefined),
  wantsCertificate: z.boolean().optional().catch(undefined),
});

/** One that cannot be read does not take the others with it. */
const readSsids = (names: unknown[]): string[] =>
  names.flatMap((name) => ssid.safeParse(name).data ?? []).slice(0, maxTrustedNetworks);

/** The settings that outlive a sign-out, each with what it is when absent or unreadable. */
const schemas = {
  deviceId: z.uuid().optional().catch(undefined),
  /** The keychain still holds a token of an ended session, which could not be removed at the time. */
  tokenRevoked: z.boolean().catch(false),
  /** Keys by which gateways are trusted without the system's roots, by host name in lower case. */
  gatewayPins: z.record(z.string(), z.array(z.string())).catch({}),
  /** Last address under which each gateway answered, for when names cannot be resolved. */
  gatewayAddresses: z
    .record(
      z.string(),
      z.string().refine((address) => isIP(address) !== 0),
    )
    .catch({}),
  /** What the last look-up of each gateway's name found, whether or not anything answered there. */
  gatewayLookUps: z
    .record(z.string(), z.array(z.string().refine((address) => isIP(address) !== 0)))
    .catch({}),
  /** What is known of each gateway, by its host and port; see gateway/gateway-memory.ts. */
  gateways: z.record(z.string(), knownGateway).catch({}),
  /** All traffic, or what the service says belongs in the tunnel. */
  routing: z.enum(['global', 'automatic', 'app', 'address']).catch('global'),
  /** What is routed by application, if that was chosen. */
  apps: z.custom<AppChoice>((value) => appChoice.safeParse(value).success).catch(noApps),
  /** What is routed by address, if that was chosen. */
  addresses: z.custom<AddressChoice>((value) => addressChoice.safeParse(value).success).catch(noAddresses),
  /** What is added to the service's domains, and taken from them. */
  domains: z.custom<DomainChoice>((value) => domainChoice.safeParse(value).success).catch(noDomains),
  /** The server that the user chose, by the service's id of it; forgotten with the account. */
  serverId: z.string().optional().catch(undefined),
  /** Servers that were connected to, by their ids, the latest first; forgotten with the account. */
  recentServers: z.array(z.string()).catch([]),
  /** Servers that the user has marked, by their ids; forgotten with the account. */
  favouriteServers: z.array(z.string()).catch([]),
  /** Only an explicit disconnect opens traffic again. Off until the user wants it: it outlives a crash. */
  killSwitch: z.boolean().catch(false),
  /** Whether directly attached networks stay reachable outside the tunnel. */
  localNetwork: z.boolean().catch(false),
  /** Which of these count although their addresses are public. */
  localPrefixes: z.array(z.string().refine(isLocalPrefix)).max(32).catch([]),
  /** In which language the app speaks, and in which colours it is drawn. */
  language: z.enum(languageChoice.options).catch('system'),
  theme: z.enum(themeChoice.options).catch('system'),
  /** Resolvers of the user's own. */
  dns: z
    .array(z.union([z.ipv4(), z.ipv6()]))
    .max(3)
    .catch([]),
  /** What becomes of the tunnel when the user quits the app. */
  onQuit: z.enum(['disconnect', 'keep']).catch('disconnect'),
  /** Whether a tunnel is made as soon as the app starts. */
  connectAtStart: z.boolean().catch(false),
  /** Whether a tunnel is made on networks that are not trusted, and which are; see networks/untrusted-rule.ts. */
  connectOnUntrusted: z.boolean().catch(false),
  disconnectOnTrusted: z.boolean().catch(false),
  trustWired: z.boolean().catch(false),
  trustedNetworks: z.array(z.unknown()).transform(readSsids).catch([]),
  /** Whether the user is told by the system's notifications what happens. */
  notifications: z.boolean().catch(true),
  /** Whether somebody has read the first sentences of the connect tab here. */
  welcomed: z.boolean().catch(false),
  /** What was told once and for all, by names; the latest last. */
  toldOnce: z.array(z.string()).catch([]),
  /** How large everything is drawn, as Chromium's zoom level. */
  zoomLevel: z.int().min(zoomLevels.min).max(zoomLevels.max).catch(0),
  /** Where the window was, and how large: without what maximizing made of it. */
  windowPlace: windowPlace.optional().catch(undefined),
  /** What the page may load to see whether there is a network; see page/probe-pages.ts. */
  probePages: z.array(z.string()).catch([]),
  /** What the operator says in the place of our texts, by language; see preferences/operator-texts.ts. */
  operatorTexts: z.record(z.string(), z.record(z.string(), z.string())).catch({}),
  /** What to put back where the desktop's proxy settings point at a PAC file of ours, and by which addresses. */
  proxyBefore: z.object({ gnome: proxyBefore, kde: proxyBefore }).catch({}),
} as const;

export type SettingName = keyof typeof schemas;
export type Setting<Name extends SettingName> = z.output<(typeof schemas)[Name]>;

export interface Settings {
  get<Name extends SettingName>(name: Name): Setting<Name>;
  /** False if the value could not be written; it then holds until the app ends. */
  set<Name extends SettingName>(name: Name, value: Setting<Name>): boolean;
}

export function createSettings(file: KeyValueFile): Settings {
  const unwritten = new Map<string, unknown>();
  function stored(name: string): unknown {
    if (unwritten.has(name)) return unwritten.get(name);
    try {
      return file.get(name);
    } catch {
      return undefined;
    }
  }
  return {
    get: (name) => schemas[name].parse(stored(name)) as Setting<typeof name>,
    set(name, value) {
      try {
        file.set(name, value);
        unwritten.delete(name);
        return true;
      } catch {
        unwritten.set(name, value);
        return false;
      }
    },
  };
}

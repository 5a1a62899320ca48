import { isIP } from 'node:net';
import { z } from 'zod';
import { gatewayAgent } from '#shared/gateway-user-agent.ts';
import { gatewayPath } from '#shared/tunnel/address.ts';
import { isLocalPrefix } from '#shared/tunnel/prefix.ts';
import { gateway } from '#shared/tunnel/state.ts';
import { programChoice, type ProgramChoice } from '#shared/host/routed-programs.ts';
import { languageChoice, themeChoice } from '#shared/host/common-contract.ts';
import {
  addressChoice,
  domainChoice,
  type AddressChoice,
  type DomainChoice,
} from '#shared/host/preferences.ts';
import { maxTrustedNetworks, ssid } from '#shared/networks.ts';
import { zoomLevels } from './zoom-levels.ts';

/** A small JSON file of the app; see kept-file.ts. Every method may throw. */
export interface KeyValueFile {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  delete(key: string): void;
  clear(): void;
}

const noAddresses: AddressChoice = { policy: 'include', countries: [], prefixes: [] };
const noDomains: DomainChoice = { through: [], direct: [] };

const noPrograms: ProgramChoice = { policy: 'include', ids: [] };

/** `restored`: from the copy; `lost`: there was none. */
const settingsDamage = z.enum(['restored', 'lost']);

const proxyBefore = z
  .object({
    own: z.object({ address: z.string().nullable(), mode: z.string().nullable() }),
    pacUrls: z.array(z.string()),
  })
  .optional()
  .catch(undefined);

/** In density-independent pixels from the first display's corner; other displays may be to the left of it. */
const windowPlace = z.object({
  bounds: z.object({ x: z.int(), y: z.int(), width: z.int(), height: z.int() }),
  isMaximized: z.boolean(),
});
export type WindowPlace = z.infer<typeof windowPlace>;

const knownGateway = z.object({
  path: z.optional(gatewayPath).catch(undefined),
  listed: z.optional(gateway).catch(undefined),
  redirectedPath: z.optional(gatewayPath).catch(undefined),
  group: z.object({ value: z.string(), label: z.string() }).optional().catch(undefined),
  banner: z.string().optional().catch(undefined),
  certificate: z.string().optional().catch(undefined),
  wantsCertificate: z.boolean().optional().catch(undefined),
  agent: z.optional(gatewayAgent).catch(undefined),
});

/** An entry that cannot be read does not invalidate the others. */
const readSsids = (names: unknown[]): string[] =>
  names.flatMap((name) => ssid.safeParse(name).data ?? []).slice(0, maxTrustedNetworks);

/** The settings that are kept over a sign-out, each with its value if it is absent or unreadable. */
const schemas = {
  deviceId: z.uuid().optional().catch(undefined),
  /** The keychain still has the token of a session that has ended, because removing it failed. */
  tokenRevoked: z.boolean().catch(false),
  /** Keys by which gateways are trusted without the system's roots, by host name in lower case. */
  gatewayPins: z.record(z.string(), z.array(z.string())).catch({}),
  /** The last address at which each gateway answered, for when names cannot be resolved. */
  gatewayAddresses: z
    .record(
      z.string(),
      z.string().refine((address) => isIP(address) !== 0),
    )
    .catch({}),
  /** The result of the last look-up of each gateway's name, whether or not anything answered there. */
  gatewayLookUps: z
    .record(z.string(), z.array(z.string().refine((address) => isIP(address) !== 0)))
    .catch({}),
  /** What is remembered about each gateway, by host and port; see gateway/gateway-memory.ts. */
  gateways: z.record(z.string(), knownGateway).catch({}),
  /** Routes all traffic, or what the service says belongs in the tunnel, or by `apps` or `addresses`. */
  routing: z.enum(['global', 'automatic', 'app', 'address']).catch('global'),
  /** The choice for routing by program. */
  apps: z.custom<ProgramChoice>((value) => programChoice.safeParse(value).success).catch(noPrograms),
  /** The choice for routing by address. */
  addresses: z.custom<AddressChoice>((value) => addressChoice.safeParse(value).success).catch(noAddresses),
  /** Names that are added to the service's domains, and removed from them. */
  domains: z.custom<DomainChoice>((value) => domainChoice.safeParse(value).success).catch(noDomains),
  /** The server that the user chose, by its id at the service; deleted with the account. */
  serverId: z.string().optional().catch(undefined),
  /** Ids of servers that were connected to, newest first; deleted with the account. */
  recentServers: z.array(z.string()).catch([]),
  /** Ids of servers that the user has marked; deleted with the account. */
  favouriteServers: z.array(z.string()).catch([]),
  /**
   * If true, only an explicit disconnect unblocks traffic. Off until the user turns it on, because it persists after a
   * crash.
   */
  killSwitch: z.boolean().catch(false),
  /**
   * These settings were damaged, and the helper has not been asked yet whether it was on: it is `assumed` to have been,
   * or what the copy says.
   */
  killSwitchDoubt: z.enum(['assumed', 'copied']).nullable().catch(null),
  /** What became of damaged settings, until the user has read it. */
  settingsDamage: settingsDamage.nullable().catch(null),
  /** Whether directly attached networks stay reachable outside the tunnel. */
  localNetwork: z.boolean().catch(false),
  /** Attached networks that then count as local although their addresses are public. */
  localPrefixes: z.array(z.string().refine(isLocalPrefix)).max(32).catch([]),
  /** Whether who is behind the server may open connections to this computer. */
  allowIncoming: z.boolean().catch(false),
  /** The app's language and its colours. */
  language: z.enum(languageChoice.options).catch('system'),
  theme: z.enum(themeChoice.options).catch('system'),
  /** The user's own resolvers. */
  dns: z
    .array(z.union([z.ipv4(), z.ipv6()]))
    .max(3)
    .catch([]),
  /** What happens to the tunnel when the user quits the app. */
  onQuit: z.enum(['disconnect', 'keep']).catch('disconnect'),
  /** Whether the app connects as soon as it starts. */
  connectAtStart: z.boolean().catch(false),
  /** Whether the app connects on networks that are not trusted, and which ones are; see networks/untrusted-rule.ts. */
  connectOnUntrusted: z.boolean().catch(false),
  disconnectOnTrusted: z.boolean().catch(false),
  trustWired: z.boolean().catch(false),
  trustedNetworks: z.array(z.unknown()).transform(readSsids).catch([]),
  /** Whether system notifications tell the user what happens. */
  notifications: z.boolean().catch(true),
  /** Whether somebody has read the welcome text of the connect tab here. */
  welcomed: z.boolean().catch(false),
  /** Names of what has been shown once and for all, newest last. */
  toldOnce: z.array(z.string()).catch([]),
  /** The size of everything, as Chromium's zoom level. */
  zoomLevel: z.int().min(zoomLevels.min).max(zoomLevels.max).catch(0),
  /** The window's last position and size when it was not maximized. */
  windowPlace: windowPlace.optional().catch(undefined),
  /** The pages that the page may load to see whether there is a network; see page/probe-pages.ts. */
  probePages: z.array(z.string()).catch([]),
  /** The operator's replacements for our texts, by language; see preferences/operator-texts.ts. */
  operatorTexts: z.record(z.string(), z.record(z.string(), z.string())).catch({}),
  /**
   * What to restore if the desktop's proxy settings point at one of our PAC files, and the addresses of those files, by
   * the place of these settings: a desktop's name, or on macOS that of a network service.
   */
  proxyBefore: z.record(z.string(), proxyBefore).catch({}),
} as const;

export type SettingName = keyof typeof schemas;
export type Setting<Name extends SettingName> = z.output<(typeof schemas)[Name]>;

/** What somebody would miss, or be less protected without. Everything else is found again, or has no weight. */
const missed = [
  'deviceId',
  'tokenRevoked',
  'gatewayPins',
  'routing',
  'apps',
  'addresses',
  'domains',
  'serverId',
  'recentServers',
  'favouriteServers',
  'killSwitch',
  'killSwitchDoubt',
  'localNetwork',
  'localPrefixes',
  'language',
  'theme',
  'dns',
  'onQuit',
  'connectAtStart',
  'connectOnUntrusted',
  'disconnectOnTrusted',
  'trustWired',
  'trustedNetworks',
  'notifications',
  'proxyBefore',
] as const satisfies SettingName[];

type Content = Record<string, unknown>;

/** Those of them that are there, but of another kind. */
const misread = (content: Content): string[] =>
  missed.filter(
    (name) => content[name] !== undefined && !schemas[name].unwrap().safeParse(content[name]).success,
  );

const without = (content: Content, names: readonly string[]): Content =>
  Object.fromEntries(Object.entries(content).filter(([name]) => !names.includes(name)));

/** How damaged settings are found and mended; see kept-file.ts. */
export const settingsRecovery = {
  isSound: (content: Content): boolean => misread(content).length === 0,
  /**
   * `found`: what can still be read. Without a copy, the kill switch counts as on until the helper has been asked; see
   * core/unsure-kill-switch.ts.
   */
  recover(copy: Content | undefined, found: Content | undefined): Content {
    const bad = misread(found ?? {});
    const kept = without(found ?? {}, bad);
    const good = copy && without(copy, misread(copy));
    const content = { ...good, ...kept };
    const isRestored = good !== undefined && bad.every((name) => good[name] !== undefined);
    const isSure = found !== undefined && !bad.includes('killSwitch') && !bad.includes('killSwitchDoubt');
    const isCopied =
      good !== undefined && (copy?.['killSwitch'] === undefined || good['killSwitch'] !== undefined);
    return {
      ...content,
      ...(!isSure && !isCopied && { killSwitch: true }),
      ...(!isSure && { killSwitchDoubt: isCopied ? 'copied' : 'assumed' }),
      settingsDamage: isRestored ? 'restored' : 'lost',
    };
  },
};

export interface Settings {
  get<Name extends SettingName>(name: Name): Setting<Name>;
  /** False if the value could not be written; then it only lasts until the app ends. */
  set<Name extends SettingName>(name: Name, value: Setting<Name>): boolean;
}

export function createSettings(file: KeyValueFile): Settings {
  const unwritten = new Map<string, unknown>();
  /** For while the file cannot be read. */
  const lastRead = new Map<string, unknown>();
  function stored(name: string): unknown {
    if (unwritten.has(name)) return unwritten.get(name);
    try {
      const value = file.get(name);
      lastRead.set(name, value);
      return value;
    } catch {
      return lastRead.get(name);
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

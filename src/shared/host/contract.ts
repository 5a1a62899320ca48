import * as z from 'zod/mini';
import { apiCalls, type ApiCallName } from '../api/calls.ts';
import { accountChange } from '../api/events.ts';
import { apiFailure } from '../api/result.ts';
import { deviceInfo, language } from '../entities.ts';
import { connectionLog } from '../tunnel/connection-log.ts';
import { serverLatency } from '../plan/server-latency.ts';
import { currentNetwork, maxTrustedNetworks, ssid } from '../networks.ts';
import { appName, maxApps, ownDomains, routeMode } from '../tunnel/route-config.ts';
import { isCanonicalPrefix } from '../tunnel/prefix.ts';
import { ipPolicy, localPrefixes, tunnelState, tunnelStatistics } from '../tunnel/state.ts';
import { event, request, type HostClient, type HostHandlers } from './descriptor.ts';
import { gatewayForm, gatewayFormLimits, gatewayFormReply } from './gateway-form.ts';
import { appChoice, maxRoutedApps, routedApp, routedAppId, runningApp, startOutcome } from './routed-apps.ts';

/** `no-browser`: none that is known how to be told. */
const browserWindowOutcome = z.enum(['opened', 'no-browser', 'failed']);
export type BrowserWindowOutcome = z.infer<typeof browserWindowOutcome>;

/** The host contract: what a page can ask of the app around it. */

const nothing = z.undefined();

const signedOutBy = z.enum(['user', 'service']);
export type SignedOutBy = z.infer<typeof signedOutBy>;
const failed = z.object({ ok: z.literal(false), failure: apiFailure });
const result = <Data extends z.ZodMiniType>(data: Data) =>
  z.discriminatedUnion('ok', [z.object({ ok: z.literal(true), data }), failed]);

/** The calls that carry a device's secrets belong to the host, see group `session`. */
const hostCallNames = ['getAuthCode', 'auth', 'gatewayLogins'] as const satisfies ApiCallName[];
type HostCallName = (typeof hostCallNames)[number];
const isPageCall = (name: string): name is Exclude<ApiCallName, HostCallName> =>
  Object.hasOwn(apiCalls, name) && !hostCallNames.some((own) => own === name);
const pageCallNames = Object.keys(apiCalls).filter(isPageCall);
export type PageCallName = (typeof pageCallNames)[number];

export const session = z.object({
  signedIn: z.boolean(),
  deviceId: z.string(),
  /**
   * Where the token is kept: `keychain` is the system's or the embedding app's secure storage; `memory` when
   * that does not work, and the user must be told.
   */
  persistence: z.enum(['keychain', 'memory', 'browser']),
});
export type Session = z.infer<typeof session>;

/** What is routed by address: all that the service lists for countries, and prefixes of the user's own. */
export const addressChoice = z.object({
  policy: ipPolicy,
  /** ISO 3166-1 alpha-2, in lower case. */
  countries: z.array(z.string().check(z.regex(/^[a-z]{2}$/))).check(z.maxLength(50)),
  prefixes: z.array(z.string().check(z.refine(isCanonicalPrefix))).check(z.maxLength(1000)),
});
export type AddressChoice = z.infer<typeof addressChoice>;

/** What the user has added to the service's domains, and taken from them, each with all that is below it. */
export const domainChoice = z.object({ through: ownDomains, direct: ownDomains });
export type DomainChoice = z.infer<typeof domainChoice>;

/** What the user has chosen of how the tunnel works, kept over restarts. */
export const tunnelPreferences = z.object({
  /** All traffic, what the service says belongs in the tunnel (specification §4, route mode), by `apps` or `addresses`. */
  routing: z.enum(['global', 'automatic', 'app', 'address']),
  /** For routing `app`; while none is chosen, all traffic is routed. Absent where that cannot be had. */
  apps: z.optional(appChoice),
  /** For routing `address`; while nothing is chosen, all traffic is routed. Absent where that cannot be had. */
  addresses: z.optional(addressChoice),
  /** For routing `automatic`, where that is by the service's domains. Absent where that cannot be had. */
  domains: z.optional(domainChoice),
  /** Only an explicit disconnect opens traffic again. */
  killSwitch: z.boolean(),
  /** While everything goes through the tunnel, destinations on directly attached networks stay reachable outside it. */
  localNetwork: z.boolean(),
  /** Attached networks that then stay reachable too, although their addresses are public. Absent where that cannot be had. */
  localPrefixes: z.optional(localPrefixes),
  /** Resolvers to ask through the tunnel in place of the server's; none: the server's. Absent where that cannot be had. */
  dns: z.optional(z.array(z.union([z.ipv4(), z.ipv6()])).check(z.maxLength(3))),
});
export type TunnelPreferences = z.infer<typeof tunnelPreferences>;

/** In which language the app speaks, and in which colours it is drawn. */
export const languageChoice = z.enum(['system', ...language.options]);
export const themeChoice = z.enum(['system', 'light', 'dark']);
export type ThemeChoice = z.infer<typeof themeChoice>;

/** What the user has chosen of how the app behaves; a host that cannot do one of these does not name it. */
export const appPreferences = z.object({
  language: languageChoice,
  theme: themeChoice,
  /** Whether the system starts the app when its user signs in to the computer. */
  openAtLogin: z.boolean(),
  /** Whether a tunnel is made as soon as the app starts. */
  connectAtStart: z.boolean(),
  /** What becomes of the tunnel when the user quits the app. */
  onQuit: z.enum(['disconnect', 'keep']),
  /** Whether the user is told by the system's notifications what happens. */
  notifications: z.boolean(),
  /** Whether a tunnel is made as soon as the computer is on a network that is not trusted. */
  connectOnUntrusted: z.boolean(),
  /** Whether a tunnel that was made for that ends on a trusted one; with the kill switch on it never does. */
  disconnectOnTrusted: z.boolean(),
  trustWired: z.boolean(),
  trustedNetworks: z.array(ssid).check(z.maxLength(maxTrustedNetworks)),
  /** Whether somebody has read the first sentences of the connect tab on this device. */
  welcomed: z.boolean(),
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

/** Servers by the service's ids of them; it may not list all of them any more. */
export const keptServers = z.object({
  /** In the order in which they were marked. */
  favourites: z.array(z.string()),
  /** That were connected to, the latest first. */
  recents: z.array(z.string()),
});
export type KeptServers = z.infer<typeof keptServers>;

/** Keys of the page's own storage; anything else is refused. */
const storageKey = z.string().check(z.regex(/^[\w.:-]{1,128}$/));

const email = z.string().check(z.maxLength(254));
const id = z.string().check(z.minLength(1), z.maxLength(256));
/** Goes into a Basic credential (RFC 7617), so nothing but visible ASCII. */
export const deviceToken = z.string().check(z.regex(/^[\x21-\x7e]{1,512}$/));
const knownDevice = z.object({ deviceId: z.uuid(), token: deviceToken, language: z.optional(language) });

/** What the app's own menu leads to. */
export const menuPage = z.enum([
  '/settings',
  '/settings/connection-log',
  '/settings/problem-report',
  '/about-us',
]);
export type MenuPage = z.infer<typeof menuPage>;

/** In characters. */
export const maxReportDescription = 2000;

const serverAddressText = z.object({ address: z.string().check(z.maxLength(512)) });

export const hostContract = {
  app: {
    /** What is around the page, and what it can do. */
    describe: request(
      nothing,
      z.object({
        kind: z.enum(['desktop', 'web', 'webview']),
        device: deviceInfo,
        /** Whether this app can have a tunnel at all, hence a connect tab. */
        hasTunnel: z.boolean(),
        /** How the tunnel can route; more than `global` offers the user the automatic choice. */
        routingModes: z.array(routeMode),
        /** Where a browser meets a captive portal, if this app looks for one. */
        portalAddress: z.optional(z.string().check(z.maxLength(2048))),
        /** Whether it keeps favourite and recent servers; absent: no. */
        keepsServers: z.optional(z.boolean()),
        /** Whether it can find out how fast servers are; absent: no. */
        measuresLatency: z.optional(z.boolean()),
      }),
    ),
    /** Opens a https, http or mailto link outside the app; false if the link is refused. */
    openExternal: request(z.string().check(z.maxLength(4096)), z.boolean()),
  },
  api: {
    /** One call of the API contract, by name; the host adds who calls. */
    call: request(
      z.object({
        name: z.enum(pageCallNames),
        params: z.optional(z.record(z.string(), z.string())),
        body: z.optional(z.unknown()),
        language: z.optional(language),
      }),
      result(z.unknown()),
    ),
  },
  account: {
    /** What the page has of this is old: it changed, or may have, at the service. */
    changed: event(z.array(accountChange)),
  },
  session: {
    get: request(nothing, session),
    requestCode: request(
      z.object({ email, language: z.optional(language) }),
      result(z.object({ authId: z.string() })),
    ),
    /** Signs in; the token stays with the host. */
    verifyCode: request(
      z.object({ authId: id, authCode: z.string().check(z.maxLength(16)), language: z.optional(language) }),
      result(session),
    ),
    /** Asks the service whose account a device signs in to; changes nothing. */
    tokenOwner: request(knownDevice, result(z.object({ email: z.string() }))),
    /**
     * Signs in as a device that the service already knows (specification §2, /device-login). The service is
     * asked first; only if it knows the token is whoever was signed in here signed out.
     */
    signInWithToken: request(knownDevice, result(session)),
    /**
     * Signs out: forgets the token, the page's storage and all cached replies, and drops the tunnel. `by`: who wants
     * it so. What the service ends the user has not, and the kill switch then keeps traffic blocked.
     */
    signOut: request(z.object({ by: signedOutBy }), session),
    changed: event(session),
  },
  apps: {
    /** Names of the apps on this device, for `filterMyApps`; empty where the platform does not tell. */
    installed: request(nothing, z.array(appName).check(z.maxLength(maxApps))),
    /**
     * Opens a mini-app: `webkit` in an isolated view inside the app, `native` as the platform's own app link, by
     * whatever app claims it. False if the link is no web address (see web-address.ts) or nothing opens it.
     */
    open: request(
      z.object({
        type: z.enum(['webkit', 'native']),
        link: z.string().check(z.maxLength(2048)),
        title: z.string().check(z.maxLength(256)),
      }),
      z.boolean(),
    ),
  },
  storage: {
    /** The stored text, or null. */
    get: request(storageKey, z.nullable(z.string())),
    /** These tell failure as false, so that the page can say so (specification §8). */
    set: request(
      z.object({ key: storageKey, value: z.string().check(z.maxLength(8 * 1024 * 1024)) }),
      z.boolean(),
    ),
    remove: request(storageKey, z.boolean()),
    clear: request(nothing, z.boolean()),
  },
  tunnel: {
    /** Returns when the request is accepted or refused; everything after is told by `stateChanged`. */
    connect: request(
      serverAddressText,
      z.discriminatedUnion('ok', [
        z.object({ ok: z.literal(true) }),
        z.object({
          ok: z.literal(false),
          error: z.enum(['bad-address', 'not-listed', 'not-signed-in', 'not-owner', 'unavailable']),
        }),
      ]),
    ),
    disconnect: request(nothing, z.null()),
    snapshot: request(nothing, tunnelState),
    /** Null while there is no tunnel. */
    statistics: request(nothing, z.nullable(tunnelStatistics)),
    stateChanged: event(tunnelState),
  },
  /** What a gateway asks of the user while connecting: one form at a time, gone when the attempt ends. */
  gatewayForm: {
    /** The form that waits for an answer. */
    get: request(nothing, z.nullable(gatewayForm)),
    /** False if the form no longer waits: each is answered once. */
    answer: request(gatewayFormReply, z.boolean()),
    changed: event(z.nullable(gatewayForm)),
  },
  /** A network's own sign-in page, while traffic is blocked; the desktop's only. */
  portal: {
    /** Shows it in a window that alone gets out, for five minutes at most, and then connects; false if it cannot. */
    open: request(nothing, z.boolean()),
  },
  browser: {
    /**
     * Opens a window of a browser that is installed, with a profile that is thrown away, all of whose traffic goes through
     * the tunnel or nowhere. Only while connected by a proxy, on the desktop.
     */
    openThroughTunnel: request(nothing, browserWindowOutcome),
  },
  /** The group of a server's users to which the user belongs, where the server has asked for one. */
  gatewayGroup: {
    /** What the chosen group is called, or null; `address` is the server's. */
    get: request(serverAddressText, z.nullable(z.string().check(z.maxLength(gatewayFormLimits.label)))),
    /** The user is asked again when they connect; false if that cannot be kept. */
    forget: request(serverAddressText, z.boolean()),
  },
  /** The certificate by which the user signs in to a server; `address` is the server's. */
  gatewayCertificate: {
    get: request(
      serverAddressText,
      z.object({
        /** Whether the server has asked for one. */
        wanted: z.boolean(),
        certificate: z.nullable(
          z.object({
            name: z.string().check(z.maxLength(gatewayFormLimits.label)),
            validTo: z.iso.datetime(),
          }),
        ),
      }),
    ),
    /** `file`: a PKCS#12 file (.p12, .pfx), base64. The key goes into the system's keychain. */
    set: request(
      z.object({
        address: serverAddressText.shape.address,
        file: z.base64().check(z.maxLength(128 * 1024)),
        password: z.string().check(z.maxLength(256)),
      }),
      z.discriminatedUnion('ok', [
        z.object({ ok: z.literal(true) }),
        z.object({
          ok: z.literal(false),
          error: z.enum(['wrong-password', 'not-a-certificate', 'unsupported', 'not-stored']),
        }),
      ]),
    ),
    /** False if that failed. */
    remove: request(serverAddressText, z.boolean()),
  },
  /** The server that the user chose, by the service's id of it. What follows from the choice, such as signing in ahead, is the host's. */
  server: {
    /** Null while none is chosen. It may be one that the service does not list any more. */
    chosen: request(nothing, z.nullable(id)),
    /** Holds from now on, and over restarts unless this is false. */
    choose: request(id, z.boolean()),
    /** As `choose`, unless one has been chosen, wherever that was: false then, too. */
    chooseFirst: request(id, z.boolean()),
    changed: event(z.nullable(id)),
  },
  /** What helps to choose among many servers, where `app.describe` says that this app has it. */
  servers: {
    kept: request(nothing, keptServers),
    /** Holds from now on, and over restarts unless this is false. */
    setFavourite: request(z.object({ serverId: id, isFavourite: z.boolean() }), z.boolean()),
    keptChanged: event(keptServers),
    /**
     * Finds out how fast the servers are that may be used now, each told by `measured` as soon as it is known. `blocked`:
     * no traffic may leave; `busy`: a tunnel is just being made or ended; `unsupported`: this app cannot.
     */
    measure: request(nothing, z.enum(['measured', 'blocked', 'busy', 'unsupported'])),
    measured: event(z.array(serverLatency)),
  },
  /** The address that the world sees of this machine. */
  worldAddress: {
    /** While everything goes through the tunnel; null if that is not so, or the address is not known. */
    get: request(nothing, z.nullable(z.union([z.ipv4(), z.ipv6()]))),
  },
  preferences: {
    get: request(nothing, preferences),
    /**
     * Holds for a tunnel that is up as well, and over restarts. If that fails everything stays what it was. `no-lists`:
     * the service has not said what belongs in the tunnel.
     */
    set: request(
      z.partial(preferences),
      z.discriminatedUnion('ok', [
        z.object({ ok: z.literal(true) }),
        z.discriminatedUnion('error', [
          z.object({ ok: z.literal(false), error: z.enum(['not-stored', 'not-applied']) }),
          z.object({ ok: z.literal(false), error: z.literal('no-lists'), failure: apiFailure }),
        ]),
      ]),
    ),
    changed: event(preferences),
  },
  /** The applications of this computer, to route by; only of hosts whose preferences name `apps`. */
  routedApps: {
    /** Those that are installed, by name. */
    list: request(nothing, z.array(routedApp).check(z.maxLength(maxRoutedApps))),
    running: request(nothing, z.array(runningApp).check(z.maxLength(maxRoutedApps))),
    /** Starts one that is chosen, so that nothing of it goes another way from the beginning. */
    start: request(z.object({ id: routedAppId }), startOutcome),
    /** The same, after it was asked to end; that takes as long as it wants, up to ten seconds. */
    restart: request(z.object({ id: routedAppId }), startOutcome),
  },
  /** Which network the computer is on; only of hosts whose preferences name `connectOnUntrusted`. */
  networks: {
    /** Null: the system does not say. From the first call on a change is told by `changed`. */
    current: request(nothing, z.nullable(currentNetwork)),
    changed: event(z.nullable(currentNetwork)),
  },
  /** The app's own menu; the desktop's only. */
  menu: {
    /** The user has chosen the item of this page. */
    pageChosen: event(menuPage),
  },
  /** What happened to the connection, for people to read; the desktop's only. */
  connectionLog: {
    get: request(nothing, connectionLog),
    /** False if it could not be removed. */
    clear: request(nothing, z.boolean()),
    changed: event(connectionLog),
  },
  /** What helps whoever looks into a problem; the desktop's only. */
  problemReport: {
    /** Made at each call, without secrets and names of people: what would leave. */
    make: request(nothing, z.string().check(z.maxLength(2 * 1024 * 1024))),
    /** What was made last, under the user's own words, into a file that they choose. */
    save: request(
      z.object({ description: z.string().check(z.maxLength(maxReportDescription)) }),
      z.enum(['saved', 'cancelled', 'failed']),
    ),
  },
} as const;

export type HostContract = typeof hostContract;
export type PreferencesReply = z.infer<HostContract['preferences']['set']['output']>;
export type Host = HostClient<HostContract>;
export type HostImplementation = HostHandlers<HostContract>;

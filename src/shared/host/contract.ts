import * as z from 'zod/mini';
import { apiFailure } from '../api/result.ts';
import { deviceInfo } from '../entities.ts';
import { connectionLog } from '../tunnel/connection-log.ts';
import { serverId } from '../servers/server-id.ts';
import { serverLatency } from '../servers/server-latency.ts';
import { currentNetwork } from '../networks.ts';
import { programName, maxPrograms, routeMode } from '../tunnel/route-config.ts';
import { tunnelState, tunnelStatistics } from '../tunnel/state.ts';
import { commonContract, nothing, openExternal } from './common-contract.ts';
import { preferences } from './preferences.ts';
import { event, request, type HostClient, type HostHandlers } from './descriptor.ts';
import { gatewayForm, gatewayFormLimits, gatewayFormReply } from './gateway-form.ts';
import {
  maxRoutedPrograms,
  routedProgram,
  programId,
  runningProgram,
  startOutcome,
} from './routed-programs.ts';

/** `no-browser`: none is installed that Waymaker knows how to configure. */
const browserWindowOutcome = z.enum(['opened', 'no-browser', 'failed']);
export type BrowserWindowOutcome = z.infer<typeof browserWindowOutcome>;

/** Servers by their ids at the service, which may no longer list all of them. */
export const keptServers = z.object({
  /** In the order in which they were marked. */
  favourites: z.array(z.string()),
  /** Servers that were connected to, newest first. */
  recents: z.array(z.string()),
});
export type KeptServers = z.infer<typeof keptServers>;

/** Pages that the app's own menu opens. */
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

/** The host contract: what a page can ask of the app around it. */
export const hostContract = {
  app: {
    /** What surrounds the page, and what it supports. */
    describe: request(
      nothing,
      z.object({
        kind: z.enum(['desktop', 'web', 'webview']),
        device: deviceInfo,
        /** Whether this app can make a tunnel at all, and so has a connect tab. */
        hasTunnel: z.boolean(),
        /** How the tunnel can route. If there is more than `global`, the user is offered automatic routing. */
        routingModes: z.array(routeMode),
        /** An address at which a browser meets a captive portal, if this app looks for one. */
        portalAddress: z.optional(z.string().check(z.maxLength(2048))),
        /** Whether this app keeps favourite and recent servers; absent means no. */
        keepsServers: z.optional(z.boolean()),
        /** Whether this app can measure how fast servers are; absent means no. */
        measuresLatency: z.optional(z.boolean()),
      }),
    ),
    openExternal,
  },
  api: commonContract.api,
  account: commonContract.account,
  session: commonContract.session,
  clock: commonContract.clock,
  apps: {
    /** Names of the programs on this device, for `filterMyApps`; empty if the platform does not say. */
    installed: request(nothing, z.array(programName).check(z.maxLength(maxPrograms))),
    /**
     * Opens a mini-app: `webkit` in an isolated view inside the app, `native` as an app link of the platform, in
     * whatever app claims it. False if the link is not a web address (see web-address.ts) or nothing opens it.
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
  storage: commonContract.storage,
  tunnel: {
    /** Returns once the request is accepted or refused; `stateChanged` reports everything after that. */
    connect: request(
      // The server that is meant, if several have this address.
      z.extend(serverAddressText, { serverId: z.optional(serverId) }),
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
    /** Null if there is no tunnel. */
    statistics: request(nothing, z.nullable(tunnelStatistics)),
    stateChanged: event(tunnelState),
  },
  /** What a gateway asks the user while connecting: one form at a time, withdrawn when the attempt ends. */
  gatewayForm: {
    /** The form that waits for an answer. */
    get: request(nothing, z.nullable(gatewayForm)),
    /** False if the form no longer waits for an answer. Each form can be answered once. */
    answer: request(gatewayFormReply, z.boolean()),
    changed: event(z.nullable(gatewayForm)),
  },
  /** A network's own sign-in page, while traffic is blocked; on the desktop only. */
  portal: {
    /**
     * Looks for the page, and shows it in a window, which is the only one that can reach it, for five minutes at most;
     * then connects. `absent`: this network has none, or none that answers; `failed`: it could not be looked for.
     */
    open: request(nothing, z.enum(['shown', 'absent', 'failed'])),
  },
  browser: {
    /**
     * Opens a window of an installed browser with a temporary profile; all of its traffic goes through the tunnel or
     * nowhere. On the desktop only, and only while connected with a proxy.
     */
    openThroughTunnel: request(nothing, browserWindowOutcome),
  },
  /** The group that the user belongs to at a server, if the server has asked for one. */
  gatewayGroup: {
    /** The name of the chosen group, or null; `address` is the server's. */
    get: request(serverAddressText, z.nullable(z.string().check(z.maxLength(gatewayFormLimits.label)))),
    /** The user is asked again at the next connect; false if that could not be stored. */
    forget: request(serverAddressText, z.boolean()),
  },
  /** The certificate with which the user signs in to a server; `address` is the server's. */
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
    /** `file`: a PKCS#12 file (.p12, .pfx), or one in PEM with certificate and key, in base64. The key is stored in the system's keychain. */
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
          error: z.enum(['wrong-password', 'not-a-certificate', 'unsupported', 'key-refused', 'not-stored']),
        }),
      ]),
    ),
    /** False if that failed. */
    remove: request(serverAddressText, z.boolean()),
  },
  /**
   * The server that the user chose, by its id at the service. The host takes care of what follows from the choice, such
   * as signing in ahead.
   */
  server: {
    /** Null if none is chosen. The service may no longer list the chosen one. */
    chosen: request(nothing, z.nullable(serverId)),
    /** Takes effect at once; false if it is not kept over restarts. */
    choose: request(serverId, z.boolean()),
    /** Like `choose`, unless a server has already been chosen, by whatever client; then it returns false. */
    chooseFirst: request(serverId, z.boolean()),
    changed: event(z.nullable(serverId)),
  },
  /** What helps to choose among many servers, if `app.describe` says that this app supports it. */
  servers: {
    kept: request(nothing, keptServers),
    /** Takes effect at once; false if it is not kept over restarts. */
    setFavourite: request(z.object({ serverId, isFavourite: z.boolean() }), z.boolean()),
    keptChanged: event(keptServers),
    /**
     * Measures the latency of the servers that may be used now; `measured` reports each as soon as it is known.
     * `blocked`: no traffic may leave; `busy`: a tunnel is being established or ended; `unsupported`: this app cannot
     * measure.
     */
    measure: request(nothing, z.enum(['measured', 'blocked', 'busy', 'unsupported'])),
    measured: event(z.array(serverLatency)),
  },
  /** The address of this machine that others see. */
  worldAddress: {
    /** Known only while all traffic goes through the tunnel; null otherwise, or if the address is not known. */
    get: request(nothing, z.nullable(z.union([z.ipv4(), z.ipv6()]))),
  },
  preferences: {
    get: request(nothing, preferences),
    /**
     * Applies to a tunnel that is up, too, and is kept over restarts. If it fails, everything stays as it was.
     * `no-lists`: the service has not said what belongs in the tunnel.
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
  /** The programs of this computer, for routing by program; only on hosts whose preferences have `apps`. */
  routedPrograms: {
    /** Installed programs, sorted by name. */
    list: request(nothing, z.array(routedProgram).check(z.maxLength(maxRoutedPrograms))),
    running: request(nothing, z.array(runningProgram).check(z.maxLength(maxRoutedPrograms))),
    /** Starts a chosen program so that all its traffic is routed correctly from the beginning. */
    start: request(z.object({ id: programId }), startOutcome),
    /** The same, after asking it to quit, which may take up to ten seconds. */
    restart: request(z.object({ id: programId }), startOutcome),
  },
  /** The network that the computer is on; only on hosts whose preferences have `connectOnUntrusted`. */
  networks: {
    /** Null: the system does not say. After the first call, `changed` reports changes. */
    current: request(nothing, z.nullable(currentNetwork)),
    changed: event(z.nullable(currentNetwork)),
  },
  /** The app's own menu; on the desktop only. */
  menu: {
    /** The user has chosen this page in the menu. */
    pageChosen: event(menuPage),
  },
  /** What happened to the connection, in words for people; on the desktop only. */
  connectionLog: {
    get: request(nothing, connectionLog),
    /** False if it could not be removed. */
    clear: request(nothing, z.boolean()),
    changed: event(connectionLog),
  },
  /** A report that helps to find the cause of a problem; on the desktop only. */
  problemReport: {
    /** Created at each call, without secrets and names of people: exactly what would be sent. */
    make: request(nothing, z.string().check(z.maxLength(2 * 1024 * 1024))),
    /** Writes the last report, with the user's own description above it, to a file that they choose. */
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

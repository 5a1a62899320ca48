import * as z from 'zod/mini';
import { deviceInfo } from '#shared/entities.ts';
import type { Host } from '#shared/host/contract.ts';
import {
  commonContract,
  languageChoice,
  nothing,
  openExternal,
  themeChoice,
} from '#shared/host/common-contract.ts';
import { createHostClient } from '#shared/host/client.ts';
import { event, request } from '#shared/host/descriptor.ts';
import type { HostTransport } from '#shared/host/transport.ts';

/** Not read. */
const anything = z.unknown();
const never = event(z.never());
const no = z.literal(false);
const none = z.array(z.never());
const look = { language: languageChoice, theme: themeChoice, welcomed: z.boolean() };
const preferences = z.object({
  routing: z.literal('global'),
  killSwitch: no,
  localNetwork: no,
  ...look,
});

/**
 * The host contract as the web console's own host fulfils it: what concerns the tunnel has only the answers of a host
 * without one. So the first load has no schemas of tunnels, networks, servers and gateways' forms.
 */
export const webContract = {
  ...commonContract,
  app: {
    describe: request(
      nothing,
      z.object({ kind: z.literal('web'), device: deviceInfo, hasTunnel: no, routingModes: none }),
    ),
    openExternal,
  },
  apps: { installed: request(nothing, none), open: request(anything, no) },
  tunnel: {
    connect: request(anything, z.object({ ok: no, error: z.literal('unavailable') })),
    disconnect: request(nothing, z.null()),
    snapshot: request(
      nothing,
      z.object({ state: z.literal('invalid'), cause: z.literal('tunnel-unsupported') }),
    ),
    statistics: request(nothing, z.null()),
    stateChanged: never,
  },
  gatewayForm: { get: request(nothing, z.null()), answer: request(anything, no), changed: never },
  portal: { open: request(nothing, z.literal('failed')) },
  browser: { openThroughTunnel: request(nothing, z.literal('no-browser')) },
  gatewayGroup: { get: request(anything, z.null()), forget: request(anything, no) },
  gatewayCertificate: {
    get: request(anything, z.object({ wanted: no, certificate: z.null() })),
    set: request(anything, z.object({ ok: no, error: z.literal('not-stored') })),
    remove: request(anything, no),
  },
  server: {
    chosen: request(nothing, z.null()),
    choose: request(anything, no),
    chooseFirst: request(anything, no),
    changed: never,
  },
  servers: {
    kept: request(nothing, z.object({ favourites: none, recents: none })),
    setFavourite: request(anything, no),
    keptChanged: never,
    measure: request(nothing, z.literal('unsupported')),
    measured: never,
  },
  worldAddress: { get: request(nothing, z.null()) },
  preferences: {
    get: request(nothing, preferences),
    set: request(
      z.partial(z.looseObject(look)),
      z.discriminatedUnion('ok', [
        z.object({ ok: z.literal(true) }),
        z.object({ ok: no, error: z.enum(['not-stored', 'not-applied']) }),
      ]),
    ),
    changed: event(preferences),
  },
  routedPrograms: {
    list: request(nothing, none),
    running: request(nothing, none),
    start: request(anything, z.literal('not-routed')),
    restart: request(anything, z.literal('not-routed')),
  },
  networks: { current: request(nothing, z.null()), changed: never },
  menu: { pageChosen: never },
  connectionLog: {
    get: request(nothing, none),
    clear: request(nothing, z.boolean()),
    changed: never,
  },
  problemReport: {
    make: request(nothing, z.string()),
    save: request(anything, z.literal('failed')),
  },
} as const;

export type WebContract = typeof webContract;

/** The page's end of that contract, which fulfils the host contract. */
export const createWebClient = (transport: HostTransport): Host => createHostClient(webContract, transport);

import * as z from 'zod/mini';
import { gatewayLogin } from '../entities.ts';
import { deadline } from '../helper/protocol.ts';
import { serverLatency } from '../servers/server-latency.ts';
import { routeConfig } from '../tunnel/route-config.ts';
import { request, type HostClient } from './descriptor.ts';
import { hostContract } from './contract.ts';

const { connect, snapshot, statistics, stateChanged } = hostContract.tunnel;
const nothing = z.undefined();
const address = z.string().check(z.maxLength(512));
/**
 * The time until which a tunnel may be up, if it is known, and what has ended then; null means that there is no known
 * end.
 */
const allowedUntil = z.nullable(deadline);
/** The app's user name and password at this gateway; null means that it asks the user. */
const login = z.nullable(
  z.object({ username: gatewayLogin.shape.username, password: gatewayLogin.shape.password }),
);

/**
 * What an app around a webview implements. The page implements the rest of the host contract with this app's storage
 * and tunnel. The kill switch and the local network are settings of the platform.
 */
export const webviewContract = {
  app: hostContract.app,
  apps: hostContract.apps,
  storage: hostContract.storage,
  tunnel: {
    prepare: request(z.object({ address, login }), z.null()),
    connect: request(z.object({ address, allowedUntil, login }), connect.output),
    setAllowedUntil: request(z.object({ allowedUntil }), z.null()),
    disconnect: request(z.object({ reason: z.optional(deadline.shape.reason) }), z.null()),
    snapshot,
    statistics,
    stateChanged,
  },
  servers: {
    latency: request(
      z.object({ address }),
      z.object({
        milliseconds: serverLatency.shape.milliseconds,
        throughTunnel: serverLatency.shape.throughTunnel,
        isProven: serverLatency.shape.isProven,
      }),
    ),
  },
  routing: {
    get: request(nothing, routeConfig),
    set: request(routeConfig, z.boolean()),
  },
} as const;

export type WebviewContract = typeof webviewContract;
export type WebviewApp = HostClient<WebviewContract>;
export type WebviewLogin = z.infer<typeof login>;
export type AllowedUntil = z.infer<typeof allowedUntil>;

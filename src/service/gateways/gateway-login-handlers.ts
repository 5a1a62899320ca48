import { isServerItemOpen } from '#shared/plan/entitlement.ts';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { readEntitlement } from '../database/entitlement-rows.ts';
import { devices } from '../database/schema/account.ts';
import { serverGroupItems, serverGroups, servers } from '../database/schema/gateways.ts';
import type { Handlers } from '../http/handler.ts';
import { done } from '../http/refusal.ts';
import type { ChangedAccess, GatewayAccess } from './gateway-access.ts';
import { placesOf, portOf, storePasswords, type GatewayPasswords } from './gateway-passwords.ts';

/**
 * What a device signs in with at gateways: those of the servers that it may use now, and no others. They are made when
 * it first asks, which apps do before they connect: a sign-in need not wait for gateways, nor hash for them. Each gateway has a
 * password of its own, which is no token, so that a gateway that is not to be trusted learns nothing that another
 * gateway, or this service, would take.
 */
export function gatewayLoginHandlers(options: {
  database: Database;
  gateways: GatewayAccess | undefined;
  passwords: GatewayPasswords | undefined;
  /** Brings gateways up to date with the database. */
  publishGateways: (changed: ChangedAccess) => Promise<void>;
  now: () => Date;
}): Pick<Handlers, 'gatewayLogins'> {
  const { database, gateways, passwords } = options;
  return {
    async gatewayLogins({ device }) {
      if (!gateways || !passwords || !device.isDevice) return done({ items: [] });
      const entitlement = await readEntitlement(database, device, options.now());
      const listed = await database
        .select({
          level: serverGroupItems.level,
          isTrial: serverGroups.isTrial,
          domain: servers.domain,
          port: servers.port,
        })
        .from(servers)
        .innerJoin(serverGroupItems, eq(serverGroupItems.id, servers.itemId))
        .innerJoin(serverGroups, eq(serverGroups.id, serverGroupItems.groupId))
        .orderBy(servers.position);
      const open = listed.filter((item) => isServerItemOpen(entitlement, item));
      const { gatewayUser } = device;
      const has = await placesOf(database, gatewayUser);
      // Also where the device may not go yet: who buys a plan is let in at once.
      const places = new Set([...gateways.commonPlaces, ...listed.map((server) => gateways.placeOf(server))]);
      const missing = [...places].filter((place) => !has.has(place));
      if (missing.length > 0 || device.hasTokenAtGateways) {
        const made = await passwords.hashed(device, missing);
        const isStored = await database.transaction(async (transaction) => {
          const ofThisSignIn = and(
            eq(devices.gatewayUser, gatewayUser),
            eq(devices.tokenHash, device.tokenHash),
          );
          // From now on the token is no password at any gateway.
          const [still] = await transaction
            .update(devices)
            .set({ gatewayPasswordHash: null })
            .where(ofThisSignIn)
            .returning({ deviceId: devices.deviceId });
          // The device has signed in again since; what it asked for is of no use any more.
          if (!still) return false;
          await storePasswords(transaction, gatewayUser, made);
          return true;
        });
        // After the commit, for all who ask at the same time.
        if (isStored) await options.publishGateways({ userIds: [device.user.id] });
      }
      const gatewayOf = (server: (typeof open)[number]) => `${server.domain} ${portOf(server)}`;
      const byGateway = new Map(open.map((server) => [gatewayOf(server), server]));
      return done({
        items: [...byGateway.values()].map((server) => ({
          domain: server.domain,
          port: portOf(server),
          username: gatewayUser,
          password: passwords.passwordAt(device, gateways.placeOf(server)),
        })),
      });
    },
  };
}

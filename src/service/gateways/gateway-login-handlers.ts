import { isServerItemOpen } from '#shared/plan/entitlement.ts';
import { asciiHost } from '#shared/tunnel/domain-name.ts';
import { and, eq } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { readEntitlement } from '../database/entitlement-rows.ts';
import { devices } from '../database/schema/account.ts';
import { serverGroupItems, serverGroups, servers } from '../database/schema/gateways.ts';
import type { Handlers } from '../http/handler.ts';
import { done } from '../http/refusal.ts';
import type { ChangedAccess } from './gateway-access.ts';
import type { GatewayAccess } from './gateway-port.ts';
import { placesOf, portOf, storePasswords, type GatewayPasswords } from './gateway-passwords.ts';

/**
 * A device's passwords at the gateways of the servers that it may use now, and at no others. They are created when the
 * device first asks, which apps do before they connect, so that a sign-in neither waits for gateways nor computes their
 * hashes. Each gateway has its own password, which is not a token, so that a malicious gateway learns nothing that
 * another gateway or this service would accept.
 */
export function gatewayLoginHandlers(options: {
  database: Database;
  gateways: GatewayAccess | undefined;
  passwords: GatewayPasswords | undefined;
  /** Updates the gateways to match the database. */
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
      // Includes places where the device is not let in yet, so that it is let in at once when its user buys a plan.
      const places = new Set([...gateways.commonPlaces, ...listed.map((server) => gateways.placeOf(server))]);
      const missing = [...places].filter((place) => !has.has(place));
      if (missing.length > 0 || device.hasTokenAtGateways) {
        const made = await passwords.hashed(device, missing);
        const isStored = await database.transaction(async (transaction) => {
          const ofThisSignIn = and(
            eq(devices.gatewayUser, gatewayUser),
            eq(devices.tokenHash, device.tokenHash),
          );
          // From now on, the token is no longer a password at any gateway.
          const [still] = await transaction
            .update(devices)
            .set({ gatewayPasswordHash: null })
            .where(ofThisSignIn)
            .returning({ deviceId: devices.deviceId });
          // The device has signed in again since, so these passwords are already useless.
          if (!still) return false;
          await storePasswords(transaction, gatewayUser, made);
          return true;
        });
        // After the commit, for all devices that ask at the same time.
        if (isStored) await options.publishGateways({ userIds: [device.user.id] });
      }
      const gatewayOf = (server: (typeof open)[number]) => `${server.domain} ${portOf(server)}`;
      const byGateway = new Map(open.map((server) => [gatewayOf(server), server]));
      return done({
        items: [...byGateway.values()].map((server) => ({
          domain: asciiHost(server.domain),
          port: portOf(server),
          username: gatewayUser,
          password: passwords.passwordAt(device, gateways.placeOf(server)),
        })),
      });
    },
  };
}

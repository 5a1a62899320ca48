import { and, desc, eq } from 'drizzle-orm';
import type { Database } from '../database/database.ts';
import { deviceId as deviceIdSchema } from '../http/device-fields.ts';
import { publishGatewayAccess, type GatewayAccess } from '../gateways/gateway-access.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import { devices } from '../database/schema.ts';

/** A user's devices; revoking one ends its token and its access to the gateways. */
export function deviceHandlers(options: {
  database: Database;
  gateways: GatewayAccess | undefined;
  now: () => Date;
}): Pick<Handlers, 'devices' | 'revokeDevice' | 'revokeDevices'> {
  const { database, gateways } = options;

  async function publish(transaction: Database, userId: string, revoked: { gatewayUser: string }[]) {
    const gatewayUsers = revoked.map(({ gatewayUser }) => gatewayUser);
    const changed = { userIds: [userId], gatewayUsers };
    if (gateways) await publishGatewayAccess(transaction, gateways, options.now(), changed);
  }

  return {
    async devices({ device: { deviceId, user } }) {
      const rows = await database
        .select({ deviceId: devices.deviceId, name: devices.name, lastSeenAt: devices.lastSeenAt })
        .from(devices)
        .where(eq(devices.userId, user.id))
        .orderBy(desc(devices.lastSeenAt), devices.deviceId);
      return done({
        items: rows.map((row) => ({
          ...row,
          lastSeenAt: row.lastSeenAt.toISOString(),
          isCurrent: row.deviceId === deviceId,
        })),
      });
    },

    async revokeDevices({ device: { user } }) {
      return database.transaction(async (transaction) => {
        const revoked = await transaction
          .delete(devices)
          .where(eq(devices.userId, user.id))
          .returning({ gatewayUser: devices.gatewayUser });
        await publish(transaction, user.id, revoked);
        return done(null);
      });
    },

    async revokeDevice({ params, device: { user } }) {
      const deviceId = deviceIdSchema.safeParse(params.deviceId);
      if (!deviceId.success) return refused('not-found');
      return database.transaction(async (transaction) => {
        const revoked = await transaction
          .delete(devices)
          .where(and(eq(devices.deviceId, deviceId.data), eq(devices.userId, user.id)))
          .returning({ gatewayUser: devices.gatewayUser });
        if (revoked.length === 0) return refused('not-found');
        await publish(transaction, user.id, revoked);
        return done(null);
      });
    },
  };
}

import { isMemberLevel } from '#shared/plan/entitlement.ts';
import { readLicenseKey, withoutMarks } from '#shared/typed-text.ts';
import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Entitlements } from '../account/entitlements.ts';
import { lockFor, type Database } from '../database/database.ts';
import type { Handlers } from '../http/handler.ts';
import { done, refused } from '../http/refusal.ts';
import { users } from '../database/schema/account.ts';
import { licenseKeys } from '../database/schema/billing.ts';
import { sha256 } from '../http/token.ts';

/**
 * The hash of a key, which is what is stored. People type keys, so only letters and digits matter, and not their case.
 */
export function licenseKeyHash(key: string): string {
  const typed = typedKey(key);
  return sha256(withoutMarks(typed) || typed);
}

/** Earlier versions stored the hash of a key with its hyphens. */
const earlierKeyHash = (key: string) => sha256(typedKey(key));

const typedKey = (key: string) => readLicenseKey(key).toUpperCase();

/** Consuming a license key extends the plan like a paid order; each key can be consumed once. */
export function licenseKeyHandlers(options: {
  database: Database;
  entitlements: Entitlements;
  now: () => Date;
}): Pick<Handlers, 'consumeLicenseKey'> {
  const { database, entitlements } = options;
  return {
    async consumeLicenseKey({ params, device: { user } }) {
      const hashes = [licenseKeyHash(params.key), earlierKeyHash(params.key)];
      const now = options.now();
      return database.transaction(async (transaction) => {
        await lockFor(transaction, 'groups');
        const [consumer] = await transaction.select().from(users).where(eq(users.id, user.id));
        if (!consumer) return refused('not-signed-in');
        if (isMemberLevel(consumer.level)) return refused('members-may-not');
        const found = await transaction
          .select()
          .from(licenseKeys)
          .where(inArray(licenseKeys.keyHash, hashes));
        const [known] = found.sort((a, b) => hashes.indexOf(a.keyHash) - hashes.indexOf(b.keyHash));
        if (!known) return refused('unknown-license-key');
        const { keyHash } = known;
        const [used] = await transaction
          .update(licenseKeys)
          .set({ usedAt: now, usedBy: consumer.id })
          .where(and(eq(licenseKeys.keyHash, keyHash), isNull(licenseKeys.usedAt)))
          .returning();
        if (!used) {
          // A retry, perhaps because the first answer was lost.
          return refused(known.usedBy === consumer.id ? 'own-license-key' : 'used-license-key');
        }
        const { service, days, seats } = used;
        const source = `license-key:${keyHash}` as const;
        await entitlements.grant(transaction, {
          userId: consumer.id,
          source,
          purchase: { service, days, seats },
        });
        return done(null);
      });
    },
  };
}

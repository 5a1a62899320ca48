import { language, pageNote, pageNoteIds, server, serverGroup, serverHints } from '#shared/entities.ts';
import { serverId } from '#shared/servers/server-id.ts';
import { z } from 'zod';
import { maxGigabytes, trafficBytes } from './gigabytes.ts';
import { readTextFile } from './read-text-file.ts';
import { licenseKeyHash } from './billing/license-key-handlers.ts';
import { lockFor, type Database } from './database/database.ts';
import { licenseKeys, products } from './database/schema/billing.ts';
import { planKinds } from './database/schema/entitlements.ts';
import { serverGroupItems, serverGroups, servers } from './database/schema/gateways.ts';
import { pageNotes, routeApps, translationOverrides } from './database/schema/pages.ts';

const planPurchase = z.object({
  /** The name of the plan. */
  service: z.string(),
  days: z.number().int().positive().max(36_500),
  seats: z.number().int().positive().max(10_000),
});

/** Each account has its own end of the trial. */
const { trialExpiredAt: _, ...offeredGroup } = serverGroup.shape;

/** Operators are told of what apps would leave out. */
const offeredServer = z.object({ ...server.shape, serverId, ...z.object(serverHints).partial().shape });

/** What a new service offers. The order of the lists is the display order. */
const seedSchema = z.strictObject({
  serverGroups: z
    .array(
      z.object({
        ...offeredGroup,
        items: z.array(
          z.object({ id: z.string(), level: z.number().int(), servers: z.array(offeredServer) }),
        ),
      }),
    )
    .default([]),
  pageNotes: z
    .array(
      z.object({
        ...pageNote.shape,
        pageName: z.enum(pageNoteIds),
        language: z.nullable(language).default(null),
      }),
    )
    .default([]),
  products: z
    .array(
      planPurchase.extend({
        id: z.string(),
        titles: z.record(language, z.string()),
        /** Cents of a US dollar. */
        price: z.number().int().positive().max(100_000_000),
      }),
    )
    .default([]),
  /** What plans allow, by name; a plan that is not listed allows everything. */
  plans: z
    .array(
      z.object({
        service: z.string(),
        /** The highest level of server items that may be used; null means every level. */
        serverLevel: z.number().int().nullable().default(null),
        /** How many devices of each person may use it at once; null means any number. */
        devices: z.number().int().positive().nullable().default(null),
        /** For every 30 days. */
        gigabytes: z.union([z.literal('unlimited'), z.number().positive().max(maxGigabytes)]),
        /** The value of one day relative to other plans; null means the number of its seats. */
        rate: z.number().int().positive().nullable().default(null),
      }),
    )
    .default([]),
  licenseKeys: z.array(planPurchase.extend({ key: z.string().min(1) })).default([]),
  /** Names of the programs whose traffic belongs in the tunnel in app mode. */
  routeApps: z.array(z.string()).default([]),
  /** Texts that replace those bundled with the pages, by language. */
  translations: z.partialRecord(language, z.record(z.string(), z.string())).default({}),
});
export type Seed = z.input<typeof seedSchema>;

/** Reads and checks a seed file; throws if it is invalid. */
export async function readSeed(file: string): Promise<z.output<typeof seedSchema>> {
  try {
    return seedSchema.parse(JSON.parse(await readTextFile(file)));
  } catch (cause) {
    throw new Error(`${file} is no seed file`, { cause });
  }
}

/**
 * Puts the seed into a database that has no such data yet, and leaves any other database alone, except for what plans
 * allow, which databases seeded by an earlier version do not have.
 */
export async function seedDatabase(database: Database, seed: z.output<typeof seedSchema>): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockFor(transaction, 'seed');
    if ((await transaction.$count(planKinds)) === 0) {
      await insertAll(
        seed.plans.map(({ gigabytes, ...kind }) => ({ ...kind, traffic: trafficBytes(gigabytes) })),
        (rows) => transaction.insert(planKinds).values(rows),
      );
    }
    for (const table of [serverGroups, pageNotes, translationOverrides, products, licenseKeys, routeApps]) {
      if ((await transaction.$count(table)) > 0) return;
    }
    const groups = seed.serverGroups.map(({ items, ...group }, position) => ({ ...group, items, position }));
    const items = groups.flatMap((group) =>
      group.items.map((item, position) => ({ ...item, groupId: group.id, position })),
    );
    await insertAll(groups, (rows) => transaction.insert(serverGroups).values(rows));
    await insertAll(items, (rows) => transaction.insert(serverGroupItems).values(rows));
    await insertAll(
      items.flatMap((item) =>
        item.servers.map((entry, position) => ({ ...entry, itemId: item.id, position })),
      ),
      (rows) => transaction.insert(servers).values(rows),
    );
    await insertAll(
      seed.pageNotes.map((note, position) => ({ ...note, position })),
      (rows) => transaction.insert(pageNotes).values(rows),
    );
    await insertAll(
      Object.entries(seed.translations).flatMap(([tag, texts]) =>
        Object.entries(texts).map(([key, text]) => ({ language: language.parse(tag), key, text })),
      ),
      (rows) => transaction.insert(translationOverrides).values(rows),
    );
    await insertAll(
      seed.products.map((product, position) => ({ ...product, position })),
      (rows) => transaction.insert(products).values(rows),
    );
    await insertAll(
      seed.licenseKeys.map(({ key, ...purchase }) => ({ ...purchase, keyHash: licenseKeyHash(key) })),
      (rows) => transaction.insert(licenseKeys).values(rows),
    );
    await insertAll(
      seed.routeApps.map((name) => ({ name })),
      (rows) => transaction.insert(routeApps).values(rows),
    );
  });
}

/** SQL has no empty VALUES list. */
async function insertAll<Row>(rows: Row[], insert: (rows: Row[]) => Promise<unknown>): Promise<void> {
  if (rows.length > 0) await insert(rows);
}

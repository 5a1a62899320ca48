import type { AppType, Language, PageNoteId, UserLevel } from '#shared/entities.ts';
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgSequence,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  uuid,
  type AnyPgColumn,
} from 'drizzle-orm/pg-core';
import { sql } from 'drizzle-orm';

/** The service's tables. After a change: `drizzle-kit generate --config src/service/database/drizzle.config.ts`. */

const time = () => timestamp({ withTimezone: true });
const bytes = () => bigint({ mode: 'number' }).notNull().default(0);

const planLimits = {
  /** The highest level of a server item that may be used; null: every level. */
  serverLevel: integer(),
  /** Devices of each person that may use it at once; null: any number. */
  devices: integer(),
  /** Bytes for every 30 days of it; 0 means unlimited. */
  traffic: bytes(),
};

export const users = pgTable(
  'users',
  {
    id: uuid().primaryKey().defaultRandom(),
    /** In lower case. */
    email: text().notNull().unique(),
    level: integer().$type<UserLevel>().notNull().default(1),
    /** The payer of a child member (level 3); a member uses the payer's plan. */
    payerId: uuid().references((): AnyPgColumn => users.id),
    firstOrderDone: boolean().notNull().default(false),
    /** What the account's plan, whichever it is, is known by. */
    serviceId: uuid().notNull().defaultRandom(),
    /** Null when the account has no trial. */
    trialExpiredAt: time(),
    /** Bytes that the trial carries; 0 means unlimited. */
    trialTraffic: bytes(),
    createdAt: time().notNull(),
  },
  // Members are counted, and listed by their email.
  (table) => [index().on(table.payerId, table.email)],
);

/**
 * Who was asked to become a member of whose group. Rows of invitations that are over stay for a while: how many mails
 * somebody has sent, or got, is counted by them.
 */
export const invitations = pgTable(
  'invitations',
  {
    id: uuid().primaryKey().defaultRandom(),
    payerId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Of the invited person, in lower case; whether there is an account with it does not matter. */
    email: text().notNull(),
    state: text().$type<InvitationState>().notNull().default('open'),
    /** Whether a mail was to be sent. */
    isMailed: boolean().notNull(),
    /** Whether the mail server refused that mail, as the payer is told. */
    mailFailed: boolean().notNull().default(false),
    createdAt: time().notNull(),
    /** An open invitation is over from then on. */
    expiresAt: time().notNull(),
  },
  (table) => [
    index().on(table.payerId, table.email),
    index().on(table.email),
    index().on(table.createdAt),
    uniqueIndex('invitations_one_open')
      .on(table.payerId, table.email)
      .where(sql`${table.state} = 'open'`),
  ],
);
export type InvitationState = 'open' | 'accepted' | 'declined' | 'withdrawn';

/** Who has had a trial, though the account is gone. */
export const trialsGiven = pgTable('trials_given', {
  /** A keyed hash of the mail box: it can be recognised, and not read. */
  person: text().primaryKey(),
  givenAt: time().notNull(),
});

export const devices = pgTable(
  'devices',
  {
    /** Made by the device; accounts that share it have a row each, so that none ends the other's session. */
    deviceId: text().notNull(),
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** SHA-256 of the token in hexadecimal; the token itself is never stored. */
    tokenHash: text().notNull(),
    /** Its user name at gateways: the device's id, or another UUID where another account came first. */
    gatewayUser: text().notNull().unique(),
    /**
     * The token as crypt(3) hashes it: of devices that signed in when the token was the password at gateways, until
     * they ask for passwords of gateways.
     */
    gatewayPasswordHash: text(),
    /** Whether it is one of the devices that a plan limits; browsers are not. */
    isDevice: boolean().notNull().default(true),
    createdAt: time().notNull(),
    lastSeenAt: time().notNull(),
  },
  (table) => [primaryKey({ columns: [table.deviceId, table.userId] }), index().on(table.userId)],
);

/** A device's password at a gateway, as the gateway stores it. The password itself is derived, and never stored. */
export const gatewayPasswords = pgTable(
  'gateway_passwords',
  {
    gatewayUser: text()
      .notNull()
      .references(() => devices.gatewayUser, { onDelete: 'cascade' }),
    /** Which gateways share it, see `GatewayAccess.placeOf`. */
    place: text().notNull(),
    hash: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.gatewayUser, table.place] })],
);

/** By which a process notices that it has another key than the service's. At most one row. */
export const serviceKeyChecks = pgTable('service_key_checks', { hash: text().primaryKey() });

export const authCodes = pgTable(
  'auth_codes',
  {
    authId: uuid().primaryKey(),
    email: text().notNull(),
    /** Only the device that asked for the code can use it. */
    deviceId: text().notNull(),
    codeHash: text().notNull(),
    tries: integer().notNull().default(0),
    createdAt: time().notNull(),
    expiresAt: time().notNull(),
    usedAt: time(),
    /** Whether the device was signed in to the account when it asked. */
    isKnownDevice: boolean().notNull().default(false),
  },
  (table) => [index().on(table.email, table.createdAt), index().on(table.createdAt)],
);

/**
 * What is left of limits on strangers, see limits/limiter.ts. Unlogged (the migration says so, which Drizzle cannot): a
 * crash of the database empties it, and in exchange nobody waits for the disk.
 */
export const rateLimits = pgTable('rate_limits', {
  /** A keyed hash of which limit it is, and whose. */
  key: text().primaryKey(),
  /** When nothing of it is spent any more, in milliseconds since 1970. */
  fullAt: bigint({ mode: 'number' }).notNull(),
});

/** What the operator's plans allow. A plan that is not here allows everything, and is worth as much as its seats. */
export const planKinds = pgTable('plan_kinds', {
  /** The plan's name. */
  service: text().primaryKey(),
  ...planLimits,
  /** What a day of it is worth beside other plans; null: as much as its seats. */
  rate: integer(),
});

/** The order of the ledger, of grants and revocations alike. */
export const ledgerNumbers = pgSequence('ledger_numbers');
const ledgerNumber = () =>
  bigint({ mode: 'number' })
    .primaryKey()
    .default(sql`nextval('ledger_numbers')`);

/**
 * What accounts were granted: a ledger that only grows, and outlives its accounts. What follows from it
 * (`#shared/plan/ledger.ts`) is in `entitlements`.
 */
export const grants = pgTable(
  'grants',
  {
    id: ledgerNumber(),
    /** Null once the account was deleted. */
    userId: uuid().references(() => users.id, { onDelete: 'set null' }),
    /** Where it comes from, such as an order; nothing grants twice. */
    source: text().notNull().unique(),
    service: text().notNull(),
    seats: integer().notNull(),
    ...planLimits,
    rate: integer().notNull(),
    durationMs: bigint({ mode: 'number' }).notNull(),
    /** That the account had then. */
    members: integer().notNull(),
    grantedAt: time().notNull(),
  },
  (table) => [index().on(table.userId)],
);

/** Refunds and disputes; they may come before what they take back. */
export const revocations = pgTable(
  'revocations',
  {
    id: ledgerNumber(),
    /** Of the grant. */
    source: text().notNull(),
    /** Of what was granted, 0 to 1, so much is taken back altogether. */
    share: doublePrecision().notNull(),
    members: integer().notNull(),
    revokedAt: time().notNull(),
  },
  (table) => [index().on(table.source)],
);

/** Which plan an account has, had or will have, and when: never two at once. Worked out from `grants`. */
export const entitlements = pgTable(
  'entitlements',
  {
    userId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    from: time().notNull(),
    /** Not in it any more. */
    to: time().notNull(),
    service: text().notNull(),
    seats: integer().notNull(),
    ...planLimits,
    rate: integer().notNull(),
    /** Of the grants that it is made of. */
    sources: jsonb().$type<string[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.from] })],
);

/** What an account has used since `since`, when its trial or the month of its plan began. */
export const traffic = pgTable('traffic', {
  userId: uuid()
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  since: time().notNull().default(new Date(0)),
  in: bytes(),
  out: bytes(),
});

/** Sessions at gateways that are in `traffic` already, while the gateway's record of them is still there. */
export const countedSessions = pgTable('counted_sessions', { name: text().primaryKey() });

export const serverGroups = pgTable('server_groups', {
  id: text().primaryKey(),
  name: text().notNull(),
  isTrial: boolean().notNull(),
  position: integer().notNull(),
});

export const serverGroupItems = pgTable(
  'server_group_items',
  {
    id: text().primaryKey(),
    groupId: text()
      .notNull()
      .references(() => serverGroups.id, { onDelete: 'cascade' }),
    level: integer().notNull(),
    position: integer().notNull(),
  },
  (table) => [index().on(table.groupId)],
);

export const servers = pgTable(
  'servers',
  {
    serverId: text().primaryKey(),
    itemId: text()
      .notNull()
      .references(() => serverGroupItems.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    /** Null means the default of specification §7. */
    protocol: text(),
    domain: text().notNull(),
    port: integer(),
    /** Where its sign-in begins; null: at its root. */
    path: text(),
    /** Whether only the networks that its gateway names go through the tunnel. */
    split: boolean(),
    /** ISO 3166-1 alpha-2, in capitals; null: that is not said. */
    country: text(),
    city: text(),
    /** From 0 to 1, by whatever the operator goes by; null: that is not said. */
    load: doublePrecision(),
    position: integer().notNull(),
  },
  (table) => [
    index().on(table.itemId),
    // Operators write these by hand, and apps refuse a list that has others.
    check('servers_country', sql`${table.country} ~ '^[A-Z]{2}$'`),
    check('servers_city', sql`length(${table.city}) <= 100`),
    check('servers_load', sql`${table.load} between 0 and 1`),
  ],
);

export const pageNotes = pgTable(
  'page_notes',
  {
    id: text().primaryKey(),
    pageName: text().$type<PageNoteId>().notNull(),
    /** Null: for every language. */
    language: text().$type<Language>(),
    title: text().notNull(),
    htmlBody: text().notNull(),
    clickAction: text(),
    redisplayLockSeconds: integer().notNull(),
    position: integer().notNull(),
  },
  (table) => [index().on(table.pageName)],
);

/** What can be bought. */
export const products = pgTable('products', {
  id: text().primaryKey(),
  /** The name of the plan that a buyer gets. */
  service: text().notNull(),
  titles: jsonb().$type<Record<Language, string>>().notNull(),
  /** What one of it adds to the plan. */
  days: integer().notNull(),
  seats: integer().notNull(),
  /** Cents of a US dollar. */
  price: integer().notNull(),
  position: integer().notNull(),
});

/** An order keeps what was offered, whatever becomes of the product. */
export const orders = pgTable(
  'orders',
  {
    id: bigint({ mode: 'number' }).primaryKey().generatedAlwaysAsIdentity({ startWith: 100_001 }),
    /** What payment providers know the order by. */
    uuid: uuid().notNull().unique().defaultRandom(),
    /** Of the account it is for, in lower case; nobody needs to have signed in yet to order. */
    email: text().notNull(),
    title: text().notNull(),
    service: text().notNull(),
    days: integer().notNull(),
    seats: integer().notNull(),
    /** Cents of a US dollar. */
    price: integer().notNull(),
    quantity: integer().notNull(),
    totalAmount: integer().notNull(),
    createdAt: time().notNull(),
    paidAt: time(),
    /** When what was paid was taken back, by a refund or a dispute. */
    reversedAt: time(),
    /** When it was found that it was paid for an account that is gone; `reversedAt` says since when that is given back. */
    refundDueAt: time(),
    /** Of the last report of the payment provider that changed the order. */
    paymentRevision: bigint({ mode: 'number' }),
    /** When the provider was first asked to open a payment. */
    paymentBegunAt: time(),
    /** When the provider is next asked what became of the payment; null when there is nothing to ask. */
    paymentCheckAt: time(),
    paymentChecks: integer().notNull().default(0),
  },
  (table) => [index().on(table.email), index().on(table.paymentCheckAt)],
);

/**
 * Who came from an app to the store in a browser, see store/visit-handlers.ts. First the link is known, until it is used
 * or too old; then the visit.
 */
export const storeVisits = pgTable(
  'store_visits',
  {
    /** SHA-256 of the link's code in hexadecimal. */
    codeHash: text().primaryKey(),
    /** SHA-256 of the visit's secret in hexadecimal; null until the link is used. */
    visitHash: text().unique(),
    /** Of the device that the link comes from. A device that is signed out takes its visits with it. */
    gatewayUser: text()
      .notNull()
      .references(() => devices.gatewayUser, { onDelete: 'cascade' }),
    /** Of the link, or of the visit. */
    expiresAt: time().notNull(),
  },
  (table) => [index().on(table.gatewayUser), index().on(table.expiresAt)],
);

/** Reports of the payment provider that were taken. */
export const paymentEvents = pgTable(
  'payment_events',
  {
    eventId: text().primaryKey(),
    receivedAt: time().notNull(),
  },
  (table) => [index().on(table.receivedAt)],
);

/** Grows with each change of a payment of the sandbox. */
export const wordgateRevisions = pgSequence('wordgate_revisions');

/** The memory of the sandbox payment provider; the rest of the service knows nothing of it. */
export const wordgatePayments = pgTable(
  'wordgate_payments',
  {
    id: uuid().primaryKey().defaultRandom(),
    /** The order's uuid. */
    reference: uuid().notNull(),
    title: text().notNull(),
    /** Cents. */
    amount: integer().notNull(),
    currency: text().notNull(),
    state: text().$type<'open' | 'paid' | 'declined' | 'refunded' | 'disputed'>().notNull().default('open'),
    /** Where the payer goes back to. */
    returnUrl: text().notNull(),
    /** Of its last change, from `wordgateRevisions`. */
    revision: bigint({ mode: 'number' })
      .notNull()
      .default(sql`nextval('wordgate_revisions')`),
    expiresAt: time().notNull(),
  },
  (table) => [index().on(table.reference)],
);

export const licenseKeys = pgTable(
  'license_keys',
  {
    /** SHA-256 of the key in hexadecimal: who reads the database can consume none. */
    keyHash: text().primaryKey(),
    service: text().notNull(),
    days: integer().notNull(),
    seats: integer().notNull(),
    usedAt: time(),
    usedBy: uuid().references(() => users.id, { onDelete: 'set null' }),
  },
  // For the deletion of accounts.
  (table) => [index().on(table.usedBy)],
);

/** Apps that a payer, or a user without a plan, offers to the group. */
export const groupApps = pgTable(
  'group_apps',
  {
    id: uuid().primaryKey().defaultRandom(),
    ownerId: uuid()
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text().notNull(),
    type: text().$type<AppType>().notNull(),
    link: text().notNull(),
    icon: text().notNull(),
    priority: integer().notNull(),
    requireLabels: jsonb().$type<string[]>().notNull(),
    createdAt: time().notNull(),
  },
  (table) => [index().on(table.ownerId)],
);

/** Names of the programs whose traffic belongs in the tunnel in app mode. */
export const routeApps = pgTable('route_apps', { name: text().primaryKey() });

/** Texts that replace those bundled with the pages. */
export const translationOverrides = pgTable(
  'translation_overrides',
  {
    language: text().$type<Language>().notNull(),
    key: text().notNull(),
    text: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.language, table.key] })],
);

import { randomUUID } from 'node:crypto';
import { eq } from 'drizzle-orm';
import type { Database } from '../../../src/service/database/database.ts';
import { devices, users } from '../../../src/service/database/schema/account.ts';
import { licenseKeys, orders, storeVisits } from '../../../src/service/database/schema/billing.ts';
import { entitlements, grants } from '../../../src/service/database/schema/entitlements.ts';
import { traffic } from '../../../src/service/database/schema/gateways.ts';
import { miniApps, invitations } from '../../../src/service/database/schema/group.ts';
import { wordgatePayments } from '../../../src/service/database/schema/wordgate.ts';
import { licenseKeyHash } from '../../../src/service/billing/license-key-handlers.ts';
import { makeToken, sha256 } from '../../../src/service/http/token.ts';

const dayMs = 24 * 3_600_000;

export type Level = 1 | 2 | 3;

/** Somebody with one of everything that an account can have, so that every call has something to be tried on. */
export interface Person {
  userId: string;
  email: string;
  /** Of the device that calls. */
  deviceId: string;
  token: string;
  /** A second device. */
  otherDeviceId: string;
  /** One that was signed out by the account. */
  revoked: { deviceId: string; token: string };
  /** Not settled yet, though it is paid. */
  order: { id: string; uuid: string };
  /** Of the order, at the sandbox. */
  paymentId: string;
  /** What the database has of an open visit at the store. */
  visitHashes: { code: string; visit: string };
  miniAppId: string;
  /** That this person got. */
  invitationId: string;
  /** Whom this person invited; nobody's address at level 3. */
  memberEmail: string;
  /** A key that nobody has used. */
  licenseKey: string;
}

const newAddress = () => `${randomUUID()}@example.com`;

/** Level 1 has a trial, level 2 a plan with a member, and level 3 is a member of somebody's. */
export async function newPerson(database: Database, level: Level, now: Date): Promise<Person> {
  const payer = await newPayer(database, now);
  const userId = level === 2 ? await newPayer(database, now) : await newUser(database, now);
  const hasTrial = level === 1 ? { trialExpiredAt: new Date(now.getTime() + dayMs) } : {};
  const email = newAddress();
  await database
    .update(users)
    .set({ email, level, payerId: level === 3 ? payer : null, ...hasTrial })
    .where(eq(users.id, userId));
  const memberEmail = newAddress();
  if (level === 2) {
    const member = await newUser(database, now);
    await database
      .update(users)
      .set({ email: memberEmail, level: 3, payerId: userId })
      .where(eq(users.id, member));
  }
  const [device, otherDevice, revoked] = [
    newDevice(userId, now),
    newDevice(userId, now),
    newDevice(userId, now),
  ];
  await database.insert(devices).values([device.row, otherDevice.row]);
  const licenseKey = randomUUID();
  await database
    .insert(licenseKeys)
    .values({ keyHash: licenseKeyHash(licenseKey), service: 'Plan', days: 30, seats: 5 });
  return {
    userId,
    email,
    deviceId: device.row.deviceId,
    token: device.token,
    otherDeviceId: otherDevice.row.deviceId,
    revoked: { deviceId: revoked.row.deviceId, token: revoked.token },
    ...(await newPaidOrder(database, email, now)),
    visitHashes: await newVisit(database, device.row.gatewayUser, now),
    miniAppId: await newMiniApp(database, userId, now),
    invitationId: await newInvitation(database, payer, email, now),
    memberEmail,
    licenseKey,
  };
}

async function newUser(database: Database, now: Date): Promise<string> {
  const [user] = await database
    .insert(users)
    .values({ email: newAddress(), createdAt: now })
    .returning({ id: users.id });
  if (!user) throw new Error('no user');
  await database.insert(traffic).values({ userId: user.id });
  return user.id;
}

/** With thirty days of a plan of five seats. */
async function newPayer(database: Database, now: Date): Promise<string> {
  const userId = await newUser(database, now);
  const source = `order:${randomUUID()}`;
  const terms = { service: 'Plan', seats: 5, serverLevel: null, devices: null, traffic: 0, rate: 5 };
  const durationMs = 30 * dayMs;
  await database.insert(grants).values({ ...terms, userId, source, durationMs, members: 0, grantedAt: now });
  const to = new Date(now.getTime() + durationMs);
  await database.insert(entitlements).values({ ...terms, userId, from: now, to, sources: [source] });
  await database.update(users).set({ level: 2, firstOrderDone: true }).where(eq(users.id, userId));
  return userId;
}

function newDevice(userId: string, now: Date) {
  const token = makeToken();
  const deviceId = randomUUID();
  const row = {
    deviceId,
    gatewayUser: deviceId,
    userId,
    name: `Device ${token.slice(0, 8)}`,
    tokenHash: sha256(token),
    createdAt: now,
    lastSeenAt: now,
  };
  return { row, token };
}

async function newPaidOrder(database: Database, email: string, now: Date) {
  const values = {
    email,
    title: `For ${email}`,
    service: 'Plan',
    days: 30,
    seats: 5,
    price: 500,
    quantity: 1,
  };
  const [order] = await database
    .insert(orders)
    .values({ ...values, totalAmount: 500, createdAt: now })
    .returning({ id: orders.id, uuid: orders.uuid });
  if (!order) throw new Error('no order');
  const payment = {
    id: randomUUID(),
    reference: order.uuid,
    title: 'An order',
    amount: 500,
    currency: 'USD',
    state: 'paid',
    returnUrl: 'http://localhost/',
    expiresAt: new Date(now.getTime() + dayMs),
  } as const;
  await database.insert(wordgatePayments).values(payment);
  return { order: { id: String(order.id), uuid: order.uuid }, paymentId: payment.id };
}

async function newVisit(database: Database, gatewayUser: string, now: Date) {
  const [code, visit] = [sha256(makeToken()), sha256(makeToken())];
  const expiresAt = new Date(now.getTime() + dayMs);
  await database.insert(storeVisits).values({ codeHash: code, visitHash: visit, gatewayUser, expiresAt });
  return { code, visit };
}

export const appDraft = {
  name: 'App',
  type: 'browser',
  link: 'https://app.example/',
  icon: '',
  priority: 1,
  requireLabels: [],
} as const;

async function newMiniApp(database: Database, ownerId: string, now: Date): Promise<string> {
  const [miniApp] = await database
    .insert(miniApps)
    .values({ ...appDraft, requireLabels: [], ownerId, createdAt: now })
    .returning({ id: miniApps.id });
  if (!miniApp) throw new Error('no app');
  return miniApp.id;
}

/** Into the group of `payerId`. */
export async function newInvitation(database: Database, payerId: string, email: string, now: Date) {
  const expiresAt = new Date(now.getTime() + dayMs);
  const [made] = await database
    .insert(invitations)
    .values({ payerId, email, isMailed: false, createdAt: now, expiresAt })
    .returning({ id: invitations.id });
  if (!made) throw new Error('no invitation');
  return made.id;
}

/** All that the database has of a person but when their devices were seen: what nobody else may change. */
export async function everythingOf(database: Database, { userId, email, memberEmail, order }: Person) {
  return {
    user: await database.select().from(users).where(eq(users.id, userId)),
    members: await database.select().from(users).where(eq(users.email, memberEmail)),
    devices: await database
      .select({ id: devices.deviceId, name: devices.name, tokenHash: devices.tokenHash })
      .from(devices)
      .where(eq(devices.userId, userId))
      .orderBy(devices.deviceId),
    miniApps: await database.select().from(miniApps).where(eq(miniApps.ownerId, userId)),
    orders: await database.select().from(orders).where(eq(orders.email, email)),
    payments: await database
      .select()
      .from(wordgatePayments)
      .where(eq(wordgatePayments.reference, order.uuid)),
    grants: await database.select().from(grants).where(eq(grants.userId, userId)),
    entitlements: await database.select().from(entitlements).where(eq(entitlements.userId, userId)),
    invitations: await database.select().from(invitations).where(eq(invitations.email, email)),
    keys: await database.select().from(licenseKeys).where(eq(licenseKeys.usedBy, userId)),
    traffic: await database.select().from(traffic).where(eq(traffic.userId, userId)),
  };
}

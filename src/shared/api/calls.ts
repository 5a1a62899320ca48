import * as z from 'zod/mini';
import { authCodeLength, cacheSeconds, maxCursorLength, maxOrderQuantity } from '../constants.ts';
import {
  miniApp,
  miniAppDraft,
  basicInfo,
  device,
  gatewayLogin,
  invitation,
  language,
  member,
  memberLogin,
  offer,
  order,
  pageNote,
  pageNoteIds,
  payment,
  sandboxDecision,
  sandboxPayment,
  serverGroup,
  service,
  trafficStats,
  translations,
  user,
} from '../entities.ts';
import { readAuthCode, readEmail } from '../typed-text.ts';
import type { ApiCall } from './call.ts';

/** Every request says that it carries JSON (specification §7), so a request without content sends an empty object. */
const none = z.optional(z.strictObject({}));
/** An address as somebody typed it. */
const email = z.string().check(z.overwrite(readEmail));
/**
 * With the id (specification §7), which is empty for a mini-app that does not exist yet; earlier clients do not send it.
 */
const sentMiniApp = z.extend(miniAppDraft, { id: z.optional(z.string().check(z.maxLength(64))) });
/** For replies that say nothing but success. */
const nothing = z.null();

interface CallOptions {
  auth?: false;
  sendsDevice?: true;
  paged?: true;
  unauthorized?: 'report';
  cacheSeconds?: number;
}

function call<
  Path extends string,
  Body extends z.ZodMiniType,
  Data extends z.ZodMiniType,
  Options extends CallOptions,
>(
  method: ApiCall['method'],
  path: Path,
  schemas: { body: Body; data: Data },
  options?: Options,
): ApiCall<
  Path,
  Body,
  Data,
  Options extends { auth: false } ? false : true,
  Options extends { sendsDevice: true } ? true : false,
  Options extends { paged: true } ? true : false
> {
  return {
    method,
    path,
    // The default of an omitted option, stated once here for the value and once above for its type.
    auth: (options?.auth ?? true) as Options extends { auth: false } ? false : true,
    sendsDevice: (options?.sendsDevice ?? false) as Options extends { sendsDevice: true } ? true : false,
    paged: (options?.paged ?? false) as Options extends { paged: true } ? true : false,
    unauthorized: options?.unauthorized ?? 'end-session',
    cacheSeconds: options?.cacheSeconds ?? 0,
    ...schemas,
  };
}

const items = <Item extends z.ZodMiniType>(item: Item) => z.object({ items: z.array(item) });
/** `next`: the cursor of the next page; absent on the last one. */
const pageOf = <Item extends z.ZodMiniType>(item: Item) =>
  z.object({ items: z.array(item), next: z.optional(z.string().check(z.maxLength(maxCursorLength))) });

const purchase = {
  productId: z.string().check(z.minLength(1), z.maxLength(128)),
  quantity: z.int().check(z.minimum(1), z.maximum(maxOrderQuantity)),
};
const orderId = z.string().check(z.minLength(1), z.maxLength(128));
/** 32 random bytes in base64url. */
const secret = z.string().check(z.regex(/^[\w-]{43}$/));

/** The API contract: every call of specification §7, and those that design §5 adds. */
export const apiCalls = {
  translations: call(
    'GET',
    '/api/translations/waymaker/{lang}',
    { body: none, data: translations },
    { auth: false, cacheSeconds: cacheSeconds.translations },
  ),
  basicInfo: call(
    'GET',
    '/api/basic-info',
    { body: none, data: basicInfo },
    { auth: false, cacheSeconds: cacheSeconds.basicInfo },
  ),
  /** The address from which the service sees the caller. */
  address: call(
    'GET',
    '/api/address',
    { body: none, data: z.object({ address: z.union([z.ipv4(), z.ipv6()]) }) },
    { auth: false },
  ),
  pageNotes: call(
    'GET',
    '/api/page-notes/{pageName}',
    { body: none, data: items(pageNote) },
    { auth: false },
  ),
  getAuthCode: call(
    'POST',
    '/api/get-auth-code',
    { body: z.object({ email }), data: z.object({ authId: z.string() }) },
    { auth: false, sendsDevice: true },
  ),
  auth: call(
    'POST',
    '/api/auth',
    {
      body: z.object({
        authId: z.string(),
        authCode: z.string().check(z.overwrite(readAuthCode), z.length(authCodeLength)),
        isDevice: z.boolean(),
      }),
      data: z.object({ token: z.string().check(z.minLength(1)) }),
    },
    { auth: false, sendsDevice: true },
  ),
  userInfo: call(
    'GET',
    '/api/user-info',
    { body: none, data: user },
    { unauthorized: 'report', cacheSeconds: cacheSeconds.user },
  ),
  myService: call(
    'GET',
    '/api/my-service',
    { body: none, data: service },
    { cacheSeconds: cacheSeconds.service },
  ),
  serverGroups: call('GET', '/api/server-groups', { body: none, data: items(serverGroup) }),
  /** This device's passwords at the gateways of the servers that it may use now; none for a browser. */
  gatewayLogins: call('GET', '/api/gateway-logins', { body: none, data: items(gatewayLogin) }),
  trafficStats: call('GET', '/api/traffic-stats', { body: none, data: trafficStats }),
  ipv4Prefixes: call(
    'GET',
    '/api/v1/ipv4/{country}',
    { body: none, data: items(z.string()) },
    { cacheSeconds: cacheSeconds.ipList },
  ),
  /** The countries that `ipv4Prefixes` has lists of (ISO 3166-1 alpha-2, in lower case). */
  ipv4Countries: call(
    'GET',
    '/api/v1/ipv4',
    { body: none, data: items(z.string()) },
    { cacheSeconds: cacheSeconds.ipList },
  ),
  pac: call(
    'GET',
    '/api/route/pac',
    {
      body: none,
      data: z.object({ routeDomains: z.array(z.string()), blockedDomains: z.array(z.string()) }),
    },
    { cacheSeconds: cacheSeconds.pac },
  ),
  filterMyApps: call('POST', '/api/apps/filter-my-app', {
    body: z.object({ apps: z.array(z.string().check(z.maxLength(256))).check(z.maxLength(2000)) }),
    data: items(z.string()),
  }),
  devices: call('GET', '/api/devices', { body: none, data: items(device) }),
  /** Signs out every device of the account, the caller's as well. */
  revokeDevices: call('DELETE', '/api/devices', { body: none, data: nothing }),
  revokeDevice: call('DELETE', '/api/devices/{deviceId}', { body: none, data: nothing }),
  orders: call('GET', '/api/orders', { body: none, data: items(order) }),
  order: call('GET', '/api/orders/{orderId}', { body: none, data: order }),
  createPayment: call('PATCH', '/api/orders/{id}/payments/', {
    body: z.object({ payMethod: z.literal('wordgate') }),
    data: payment,
  }),
  confirmPayment: call('POST', '/api/payment-confirm/wordgate', {
    body: z.object({ order_id: orderId }),
    data: nothing,
  }),
  /** What can be bought, and whether it costs real money. */
  offers: call(
    'GET',
    '/api/store/offers',
    { body: none, data: z.object({ items: z.array(offer), isSandbox: z.boolean() }) },
    { auth: false },
  ),
  /** Orders for the caller's account. */
  createOrder: call('POST', '/api/orders', { body: z.object(purchase), data: z.object({ orderId }) }),
  /** Orders for any address; whoever signs in with it can pay. */
  createGuestOrder: call(
    'POST',
    '/api/store/orders',
    {
      body: z.object({ ...purchase, email: email.check(z.maxLength(254)) }),
      data: z.object({ orderId }),
    },
    { auth: false },
  ),
  /** A code with which a browser can open a store visit for the caller's account, once and within a minute. */
  createHandOver: call('POST', '/api/store/hand-overs', { body: none, data: z.object({ code: secret }) }),
  /**
   * Opens a store visit. Its secret allows buying for the account for an hour, and nothing else. Secrets of the store
   * are sent in bodies, so that no browser sends them by itself and they appear in no address.
   */
  openStoreVisit: call(
    'POST',
    '/api/store/visits',
    {
      body: z.object({ code: secret }),
      data: z.object({ visit: secret, email: z.string(), members: z.int().check(z.minimum(0)) }),
    },
    { auth: false },
  ),
  /** Orders for the account of a store visit, and opens the payment. */
  createVisitOrder: call(
    'POST',
    '/api/store/visits/orders',
    { body: z.object({ ...purchase, visit: secret }), data: z.object({ orderId, payUrl: z.string() }) },
    { auth: false },
  ),
  /** Like `confirmPayment`, for an order that belongs to the account of a store visit. */
  confirmVisitOrder: call(
    'POST',
    '/api/store/visits/confirm',
    { body: z.object({ visit: secret, order_id: orderId }), data: nothing },
    { auth: false },
  ),
  /** A payment at the sandbox, for anybody who knows its id. Not found if there is no sandbox. */
  sandboxPayment: call(
    'GET',
    '/api/wordgate/payments/{id}',
    { body: none, data: sandboxPayment },
    { auth: false },
  ),
  /** Decides a sandbox payment; does nothing if it can no longer be decided. */
  decideSandboxPayment: call(
    'POST',
    '/api/wordgate/payments/{id}',
    { body: z.object({ decision: sandboxDecision }), data: nothing },
    { auth: false },
  ),
  consumeLicenseKey: call('POST', '/api/license-keys/{key}/consume', { body: none, data: nothing }),
  /** The members of the caller's group, and the people invited to it. */
  members: call('GET', '/api/group/members', { body: none, data: pageOf(member) }, { paged: true }),
  /** Invites somebody; the answer is the same for every address. */
  addMember: call('PATCH', '/api/group/members', {
    body: z.extend(memberLogin, { loginId: email }),
    data: nothing,
  }),
  /** Ends a membership, or withdraws an invitation. */
  removeMember: call('DELETE', '/api/group/members/{loginId}', { body: none, data: nothing }),
  /** The caller leaves the group in which they are a member. */
  leaveGroup: call('DELETE', '/api/group/membership', { body: none, data: nothing }),
  /** The groups that the caller is invited to. */
  invitations: call('GET', '/api/invitations', { body: none, data: items(invitation) }),
  acceptInvitation: call('POST', '/api/invitations/{id}/accept', { body: none, data: nothing }),
  declineInvitation: call('POST', '/api/invitations/{id}/decline', { body: none, data: nothing }),
  groupApps: call('GET', '/api/group/apps', { body: none, data: pageOf(miniApp) }, { paged: true }),
  groupApp: call('GET', '/api/group/apps/{id}', { body: none, data: miniApp }),
  createApp: call('PATCH', '/api/group/apps', { body: sentMiniApp, data: miniApp }),
  editApp: call('POST', '/api/group/apps/{id}', { body: sentMiniApp, data: miniApp }),
  deleteApp: call('DELETE', '/api/group/apps/{id}', { body: none, data: nothing }),
  myApps: call('GET', '/api/my-apps', { body: none, data: items(miniApp) }),
  deleteSelf: call('DELETE', '/api/self', { body: none, data: nothing }),
} as const satisfies Record<string, ApiCall>;

export type ApiCalls = typeof apiCalls;
export type ApiCallName = keyof ApiCalls;
export type ApiData<Name extends ApiCallName> = z.output<ApiCalls[Name]['data']>;
export type ApiBody<Name extends ApiCallName> = z.input<ApiCalls[Name]['body']>;

/** Values of the path parameters that are closed sets. */
export const apiPathSets = { lang: language, pageName: z.enum(pageNoteIds) } as const;

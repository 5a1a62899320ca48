import * as z from 'zod/mini';
import { releaseVersion } from './app-version.ts';
import { miniAppPriority } from './constants.ts';

/** Entities of the product (specification §3) as API replies carry them. Times are ISO 8601 in UTC. */

const count = z.int().check(z.nonnegative());
const bytes = z.number().check(z.nonnegative());
const isoTime = z.iso.datetime({ offset: true });

/** 1 top, 2 payer, 3 child (member). */
export const userLevel = z.union([z.literal(1), z.literal(2), z.literal(3)]);
export type UserLevel = z.infer<typeof userLevel>;

export const user = z.object({
  email: z.string(),
  profile: z.object({
    level: userLevel,
    firstOrderDone: z.boolean(),
    /** Seats of the plan that are taken by members, and by invited people who may still accept. */
    seatsUsed: count,
    /** How many people share the plan now, without those who are only invited. Absent if there are none. */
    members: z.optional(count),
    /** For a child: the email address of the account whose plan it uses. */
    payer: z.optional(z.string()),
  }),
});
export type User = z.infer<typeof user>;

export const service = z.object({
  serviceId: z.string(),
  /** Absent until a plan is bought. */
  expiredAt: z.nullable(isoTime),
  seats: count,
  /** The plan's name. */
  service: z.string(),
});
export type Service = z.infer<typeof service>;

/** What only helps to choose a server; not in specification §3. */
export const serverHints = {
  /** Where it is, as an ISO 3166-1 alpha-2 code in capitals. */
  country: z.string().check(z.regex(/^[A-Z]{2}$/)),
  /** In the operator's words. */
  city: z.string().check(z.maxLength(100)),
  /** How busy it is, from 0 to 1. */
  load: z.number().check(z.minimum(0), z.maximum(1)),
};

/** An odd one is left out: the server can still be used, and all others with it. */
const ifUsable = <Schema extends z.ZodMiniType>(schema: Schema) =>
  // oxlint-disable-next-line promise/valid-params -- Not a promise's.
  z.catch(z.optional(schema), undefined);

export const server = z.object({
  serverId: z.string(),
  name: z.string(),
  protocol: z.optional(z.string()),
  domain: z.string(),
  port: z.optional(z.int().check(z.minimum(1), z.maximum(65535))),
  /** The path where its sign-in begins, for example that of a group; not in specification §3. */
  path: z.optional(z.string()),
  /** Whether only the networks that its gateway names go through the tunnel; not in specification §3. */
  split: z.optional(z.boolean()),
  /** Whether its network may open connections to the user's computer; not in specification §3. */
  incoming: z.optional(z.boolean()),
  country: ifUsable(serverHints.country),
  city: ifUsable(serverHints.city),
  load: ifUsable(serverHints.load),
});
export type Server = z.infer<typeof server>;

/** User name and password at one gateway, of no use anywhere else; not in specification §3. */
export const gatewayLogin = z.object({
  domain: z.string(),
  port: z.int().check(z.minimum(1), z.maximum(65535)),
  username: z.string().check(z.minLength(1), z.maxLength(128)),
  password: z.string().check(z.minLength(1), z.maxLength(128)),
});
export type GatewayLogin = z.infer<typeof gatewayLogin>;

export const serverGroup = z.object({
  id: z.string(),
  name: z.string(),
  isTrial: z.boolean(),
  trialExpiredAt: z.nullable(isoTime),
  items: z.array(z.object({ id: z.string(), level: z.int(), servers: z.array(server) })),
});
export type ServerGroup = z.infer<typeof serverGroup>;

export const trafficStats = z.object({
  /** Bytes the plan includes; 0 means unlimited. */
  rated: bytes,
  in: bytes,
  out: bytes,
});
export type TrafficStats = z.infer<typeof trafficStats>;

export const pageNote = z.object({
  id: z.string(),
  title: z.string(),
  htmlBody: z.string(),
  clickAction: z.nullable(z.string()),
  redisplayLockSeconds: count,
});
export type PageNote = z.infer<typeof pageNote>;

/** A page of the connectivity probe. It is named in a Content-Security-Policy, which some characters would break. */
const probePage = z.string().check(z.maxLength(512), z.regex(/^https?:\/\/[^\s;,'"]+$/));

export const basicInfo = z.object({
  /** A URL that answers with the caller's address, like the call `address`; not in specification §3. */
  addressUrl: z.optional(z.string().check(z.maxLength(2048))),
  /** Small pages of other operators that show whether there is a network; not in specification §3. */
  probePages: z.optional(z.array(probePage).check(z.maxLength(4))),
  /** Where users can write to about a problem, if the operator names an address; not in specification §3. */
  supportEmail: z.optional(z.string().check(z.maxLength(254))),
  /** The current release of the desktop app, if the operator names one; not in specification §3. */
  latestVersion: z.optional(releaseVersion),
  links: z.object({
    delete_account_url: z.string(),
    user_privacy_url: z.string(),
    manage_apps: z.string(),
    manage_members: z.string(),
    manage_servers: z.string(),
    device_login: z.string(),
    quick_start_url: z.string(),
    seller_event_url: z.string(),
    purchase_url: z.string(),
    pay_url: z.string(),
    change_service_url: z.string(),
    /** Installers of the desktop app, if they are published; not in specification §3. */
    download_macos_url: z.optional(z.string()),
    download_windows_url: z.optional(z.string()),
    download_linux_url: z.optional(z.string()),
  }),
});
export type BasicInfo = z.infer<typeof basicInfo>;

export const translations = z.record(z.string(), z.string());
export type Translations = z.infer<typeof translations>;

export const languages = ['en', 'zh-hans', 'zh-hant'] as const;
export const language = z.enum(languages);
export type Language = z.infer<typeof language>;

export const platform = z.enum(['macos', 'windows', 'linux', 'android', 'ios', 'web']);
export type Platform = z.infer<typeof platform>;

export const deviceInfo = z.object({
  name: z.string(),
  platform,
  arch: z.string(),
  version: z.string(),
  lang: z.string(),
  timezone: z.string(),
});
export type DeviceInfo = z.infer<typeof deviceInfo>;

export const order = z.object({
  id: z.string(),
  uuid: z.string(),
  title: z.string(),
  /** Cents of a US dollar. */
  price: count,
  quantity: count,
  /** Cents of a US dollar. */
  totalAmount: count,
  isPaid: z.boolean(),
  createdAt: isoTime,
  /** The days that the whole order adds to a plan; earlier versions of the service do not say it. */
  days: z.optional(count),
  seats: z.optional(count),
});
export type Order = z.infer<typeof order>;

/** Something that can be bought; not in specification §3. */
export const offer = z.object({
  id: z.string(),
  title: z.string(),
  /** The days that one unit adds to a plan. */
  days: count,
  seats: count,
  /** Cents of a US dollar. */
  price: count,
});
export type Offer = z.infer<typeof offer>;

export const payment = z.object({
  /** Cents. */
  amount: count,
  /** ISO 4217 code. */
  currency: z.string().check(z.length(3)),
  extra: z.object({ pay_url: z.string() }),
});
export type Payment = z.infer<typeof payment>;

export const sandboxDecision = z.enum(['paid', 'declined', 'refunded', 'disputed']);
export type SandboxDecision = z.infer<typeof sandboxDecision>;

/** A payment of the sandbox, as its page shows it; not in specification §3. */
export const sandboxPayment = z.object({
  title: z.string(),
  /** Cents. */
  amount: count,
  /** ISO 4217 code. */
  currency: z.string().check(z.length(3)),
  state: z.enum(['open', 'expired', ...sandboxDecision.options]),
  /** The decisions that can be made about it now. */
  decisions: z.array(sandboxDecision),
  /** Where the payer is sent back to: an address, or a path on the page's own site. */
  returnUrl: z.string(),
});
export type SandboxPayment = z.infer<typeof sandboxPayment>;

/** `browser` opens the system browser, `webkit` an isolated in-app view, `native` the app that claims the link. */
export const miniAppType = z.enum(['browser', 'webkit', 'native']);
export type MiniAppType = z.infer<typeof miniAppType>;

/** What a payer fills in for a mini-app. The limits are the service's; the messages are those of specification §5. */
export const miniAppDraft = z.object({
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(64)),
  type: miniAppType,
  link: z.string().check(z.maxLength(2048), z.regex(/^http/i)),
  /** A PNG data URL of 128 × 128 pixels, or empty. */
  icon: z
    .string()
    .check(z.maxLength(128 * 1024), z.regex(/^(?:data:image\/png;base64,[A-Za-z0-9+/]+={0,2})?$/)),
  priority: z.int().check(z.minimum(miniAppPriority.min), z.maximum(miniAppPriority.max)),
  requireLabels: z.array(z.string().check(z.maxLength(64))).check(z.maxLength(32)),
});
export type MiniAppDraft = z.infer<typeof miniAppDraft>;

export const miniApp = z.object({
  id: z.string(),
  name: z.string(),
  type: miniAppType,
  link: z.string(),
  icon: z.string(),
  priority: z.int(),
  requireLabels: z.array(z.string()),
});
export type MiniApp = z.infer<typeof miniApp>;

/** How a member signs in. */
export const memberLogin = z.object({ loginId: z.string(), loginType: z.literal('email') });

/** A member of a payer's group, or somebody who was invited and has not accepted yet. */
export const member = z.extend(memberLogin, {
  /** Absent once the person has accepted. */
  invitation: z.optional(
    z.object({
      /** The invitation can no longer be accepted after this time. */
      expiresAt: isoTime,
      /** Whether the invitation's mail could not be sent. */
      mailFailed: z.boolean(),
    }),
  ),
});
export type Member = z.infer<typeof member>;

/** An invitation to become a member, as the invited person sees it. */
export const invitation = z.object({
  id: z.string(),
  /** The payer's email address. */
  from: z.string(),
  /** The name of the payer's plan. */
  service: z.string(),
  expiresAt: isoTime,
});
export type Invitation = z.infer<typeof invitation>;

export const device = z.object({
  deviceId: z.string(),
  name: z.string(),
  lastSeenAt: isoTime,
  /** Whether this is the device that sent the request. */
  isCurrent: z.boolean(),
});
export type Device = z.infer<typeof device>;

/** Pages that can show a pop-up note (specification §2). */
export const pageNoteIds = [
  'vpn-account',
  'vpn-my-service',
  'vpn-purchase',
  'vpn-coupon-consume',
  'vpn-device-list',
  'vpn-order-list',
  'vpn-member-list',
  'vpn-member-add',
  'vpn-app-list',
  'vpn-app-add',
  'vpn-app-edit',
  'vpn-welcome',
  'vpn-quick-start',
  'vpn-pay',
  'vpn-pay-confirm',
] as const;
export type PageNoteId = (typeof pageNoteIds)[number];

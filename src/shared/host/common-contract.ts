import * as z from 'zod/mini';
import { apiCalls, type ApiCallName } from '../api/calls.ts';
import { accountChange } from '../api/events.ts';
import { apiFailure } from '../api/result.ts';
import { language } from '../entities.ts';
import { event, request } from './descriptor.ts';

/**
 * What the host contract says of every host, with a tunnel or without: the first load of the web console has only this.
 */

export const nothing = z.undefined();

const signedOutBy = z.enum(['user', 'service']);
export type SignedOutBy = z.infer<typeof signedOutBy>;
const failed = z.object({ ok: z.literal(false), failure: apiFailure });
const result = <Data extends z.ZodMiniType>(data: Data) =>
  z.discriminatedUnion('ok', [z.object({ ok: z.literal(true), data }), failed]);

/** Calls with a device's secrets belong to the host; see group `session`. */
const hostCallNames = ['getAuthCode', 'auth', 'gatewayLogins'] as const satisfies ApiCallName[];
type HostCallName = (typeof hostCallNames)[number];
const isPageCall = (name: string): name is Exclude<ApiCallName, HostCallName> =>
  Object.hasOwn(apiCalls, name) && !hostCallNames.some((own) => own === name);
const pageCallNames = Object.keys(apiCalls).filter(isPageCall);
export type PageCallName = (typeof pageCallNames)[number];

export const session = z.object({
  signedIn: z.boolean(),
  deviceId: z.string(),
  /**
   * Where the token is kept: `keychain` is the secure storage of the system or the embedding app; `helper` is a file
   * that only the helper opens; `memory` is used if none of them works, and the user must be told.
   */
  persistence: z.enum(['keychain', 'helper', 'memory', 'browser']),
});
export type Session = z.infer<typeof session>;

/** The app's language and its colours. */
export const languageChoice = z.enum(['system', ...language.options]);
export const themeChoice = z.enum(['system', 'light', 'dark']);
export type ThemeChoice = z.infer<typeof themeChoice>;

/** Keys of the page's own storage; anything else is refused. */
const storageKey = z.string().check(z.regex(/^[\w.:-]{1,128}$/));

const email = z.string().check(z.maxLength(254));
const id = z.string().check(z.minLength(1), z.maxLength(256));
/** Part of a Basic credential (RFC 7617), so only visible ASCII is allowed. */
export const deviceToken = z.string().check(z.regex(/^[\x21-\x7e]{1,512}$/));
const knownDevice = z.object({ deviceId: z.uuid(), token: deviceToken, language: z.optional(language) });

/** Opens an https, http or mailto link outside the app; false if the link is refused. */
export const openExternal = request(z.string().check(z.maxLength(4096)), z.boolean());

export const commonContract = {
  api: {
    /** One call of the API contract, by name; the host adds device and token. */
    call: request(
      z.object({
        name: z.enum(pageCallNames),
        params: z.optional(z.record(z.string(), z.string())),
        body: z.optional(z.unknown()),
        language: z.optional(language),
      }),
      result(z.unknown()),
    ),
  },
  account: {
    /** From now on the page hears of changes; what it has loaded before may have missed some. */
    followed: event(nothing),
    /** What the page knows about this is out of date: it changed at the service, or may have changed. */
    changed: event(z.array(accountChange)),
  },
  session: {
    get: request(nothing, session),
    requestCode: request(
      z.object({ email, language: z.optional(language) }),
      result(z.object({ authId: z.string() })),
    ),
    /**
     * Signs in; the token stays with the host. Whoever else was signed in here is signed out first; who signs in again
     * stays signed in until then, and keeps everything.
     */
    verifyCode: request(
      z.object({ authId: id, authCode: z.string().check(z.maxLength(16)), language: z.optional(language) }),
      result(session),
    ),
    /** Asks the service whose account a device signs in to; changes nothing. */
    tokenOwner: request(knownDevice, result(z.object({ email: z.string() }))),
    /**
     * Signs in as a device that the service already knows (specification §2, /device-login). The service is
     * asked first; only if it knows the token is whoever was signed in here signed out.
     */
    signInWithToken: request(knownDevice, result(session)),
    /**
     * Signs out: deletes the token, the page's storage and all cached replies, and ends the tunnel. `by` says who asked
     * for it. If it was the service and not the user, the kill switch keeps traffic blocked.
     */
    signOut: request(z.object({ by: signedOutBy }), session),
    changed: event(session),
  },
  /** The clock of the service, by which its times are judged, compared to this device's. */
  clock: {
    /** Milliseconds that have to be added to this device's time; 0 if its clock is right, or nothing is known. */
    offset: request(nothing, z.int()),
    changed: event(z.int()),
  },
  storage: {
    /** The stored text, or null. */
    get: request(storageKey, z.nullable(z.string())),
    /** These report failure as false, so that the page can say so (specification §8). */
    set: request(
      z.object({ key: storageKey, value: z.string().check(z.maxLength(8 * 1024 * 1024)) }),
      z.boolean(),
    ),
    remove: request(storageKey, z.boolean()),
    clear: request(nothing, z.boolean()),
  },
} as const;

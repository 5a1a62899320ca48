import type { Language, PageNoteId } from '#shared/entities.ts';

/**
 * All keys of the page's storage (specification §3). `hostOwnKeys` belong to the host: on the web, it uses the same
 * storage, so they are listed here.
 */
export const storageKeys = {
  token: 'token',
  deviceId: 'deviceId',
  user: 'user',
  /** The chosen appearance of pages, and whether the welcome text was read, if no app stores it. */
  look: 'look',
  lastEmail: 'lastEmail',
  basicInfo: 'basicInfo',
  myService: 'myService',
  /**
   * When the service last said that answers about the account are out of date, in milliseconds since the Unix epoch.
   */
  accountChangedAt: 'accountChangedAt',
  translations: (language: Language) => `translations:${language}`,
  /** For connecting while the service cannot be reached. */
  serverGroups: 'serverGroups',
  pac: 'pac',
  ipv4Prefixes: (country: string) => `ipv4Prefixes:${country}`,
  /** In a webview: the app's passwords at gateways. */
  gatewayLogins: 'gatewayLogins',
  /** In a webview: what the app says of a gateway that had refused an earlier sign-in. */
  outdatedRefusal: 'outdatedRefusal',
  /** The server that the user chose last. */
  serverId: 'serverId',
  /** Favourite and recent servers, if the page keeps them. */
  keptServers: 'keptServers',
  /** The code that was mailed last: to whom, when, and how to return to where it is typed. */
  codeSent: 'codeSent',
  /** Lets a visit of the store know that nobody has signed in or out since (features/store). */
  storeVisits: 'storeVisits',
  /** Set once the notice about a session in memory was dismissed. */
  memoryNoticeSeen: 'memoryNoticeSeen',
  /** Set if another app embedded these pages, by /device-login. */
  inApp: 'inApp',
  /** Until when, in milliseconds since the Unix epoch, a page shows no note, or a note is not shown. */
  pageNoteLock: (page: PageNoteId) => `noteLock:page:${page}`,
  noteLock: (noteId: string) => `noteLock:note:${keyPart(noteId)}`,
} as const;

export const hostOwnKeys: readonly string[] = [storageKeys.token, storageKeys.deviceId, storageKeys.look];

/** One of the service's ids as part of a key; hosts limit the characters and the length. */
function keyPart(id: string): string {
  return id.replace(/[^\w-]/g, (character) => `.${character.codePointAt(0)?.toString(16)}`).slice(0, 100);
}

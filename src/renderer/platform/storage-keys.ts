import type { Language, PageNoteId } from '#shared/entities.ts';

/**
 * Every key of the page's storage (specification §3). `hostOwnKeys` belong to the host: on the web
 * it keeps them in the same place, so they are named here.
 */
export const storageKeys = {
  token: 'token',
  deviceId: 'deviceId',
  user: 'user',
  /** How pages are shown, as chosen, and whether the first sentences were read, where no app keeps it. */
  look: 'look',
  lastEmail: 'lastEmail',
  basicInfo: 'basicInfo',
  myService: 'myService',
  /** When, in milliseconds since the Unix epoch, the service last said that answers about the account are old. */
  accountChangedAt: 'accountChangedAt',
  translations: (language: Language) => `translations:${language}`,
  /** For connecting while the service is out of reach. */
  serverGroups: 'serverGroups',
  pac: 'pac',
  ipv4Prefixes: (country: string) => `ipv4Prefixes:${country}`,
  /** In a webview: what the app signs in with at gateways. */
  gatewayLogins: 'gatewayLogins',
  /** The server the user chose last. */
  serverId: 'serverId',
  /** Favourite and recent servers, where the page keeps them. */
  keptServers: 'keptServers',
  /** The code that was mailed last: to whom, when, and how to come back to where it is typed. */
  codeSent: 'codeSent',
  /** By which a visit of the store knows that nobody has signed in or out since (features/store). */
  storeVisits: 'storeVisits',
  /** Set once the notice of a session in memory is put away. */
  memoryNoticeSeen: 'memoryNoticeSeen',
  /** Set where another app opened these pages in itself, by /device-login. */
  inApp: 'inApp',
  /** Until when, in milliseconds since the Unix epoch, a page shows no note, and a note is not shown. */
  pageNoteLock: (page: PageNoteId) => `noteLock:page:${page}`,
  noteLock: (noteId: string) => `noteLock:note:${keyPart(noteId)}`,
} as const;

export const hostOwnKeys: readonly string[] = [storageKeys.token, storageKeys.deviceId, storageKeys.look];

/** An id of the service's as a part of a key; hosts take only some characters, and only so many. */
function keyPart(id: string): string {
  return id.replace(/[^\w-]/g, (character) => `.${character.codePointAt(0)?.toString(16)}`).slice(0, 100);
}

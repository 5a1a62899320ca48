import type { Language } from '#shared/entities.ts';

/**
 * Every key of the page's storage (specification §3). `token` and `deviceId` belong to the host: on the web
 * it keeps them in the same place, so they are named here.
 */
export const storageKeys = {
  token: 'token',
  deviceId: 'deviceId',
  user: 'user',
  lastEmail: 'lastEmail',
  basicInfo: 'basicInfo',
  myService: 'myService',
  translations: (language: Language) => `translations:${language}`,
  pac: 'pac',
  ipv4Prefixes: (country: string) => `ipv4Prefixes:${country}`,
  /** The server the user chose last. */
  serverId: 'serverId',
  /** To whom the last code went, and when: the resend countdown goes on after a reload. */
  codeSent: 'codeSent',
  /** Set where another app opened these pages in itself, by /device-login. */
  inApp: 'inApp',
} as const;

export const hostOwnKeys: readonly string[] = [storageKeys.token, storageKeys.deviceId];

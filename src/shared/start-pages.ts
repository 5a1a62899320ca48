/**
 * The addresses that people come to, and the page behind each: it is loaded together with the first script, by the
 * service's `Link` header as well as by the script itself.
 */
export const startPages = {
  '/': 'account',
  '/dashboard': 'account',
  '/login': 'login',
  '/auth-verify': 'verify',
} as const;

export type StartPage = (typeof startPages)[keyof typeof startPages];

/** What they need of the texts: those of the first pages alone, or all. */
export const textsOfStartPages = {
  account: 'all',
  login: 'first',
  verify: 'first',
} as const satisfies Record<StartPage, 'first' | 'all'>;

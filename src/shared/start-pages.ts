/**
 * The addresses that people open directly, and the page behind each. The page is loaded together with the first script,
 * by the service's `Link` header as well as by the script itself.
 */
export const startPages = {
  '/': 'account',
  '/dashboard': 'account',
  '/login': 'login',
  '/auth-verify': 'verify',
} as const;

export type StartPage = (typeof startPages)[keyof typeof startPages];

/** The texts that these pages need: those of the first pages, or all. */
export const textsOfStartPages = {
  account: 'all',
  login: 'first',
  verify: 'first',
} as const satisfies Record<StartPage, 'first' | 'all'>;

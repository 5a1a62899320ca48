import { isLoopbackName } from './http/loopback.ts';

type PaymentsKind = 'off' | 'sandbox' | 'provider';

export interface SafetySettings {
  WAYMAKER_DEVELOPMENT: boolean;
  WAYMAKER_PAYMENTS?: PaymentsKind | undefined;
  WAYMAKER_PUBLIC_URL?: string | undefined;
  WAYMAKER_CONSOLE_URL?: string | undefined;
  WAYMAKER_PAYMENT_URL?: string | undefined;
  WAYMAKER_PAYMENT_SECRET?: string | undefined;
  SMTP_URL?: string | undefined;
}

/**
 * Settings that would give everything to everybody: a page with all sign-in codes, and payments without money, are for
 * development only, and never for a service at a public address.
 */
export function* unsafeSettings(values: SafetySettings): Generator<{ path: string[]; message: string }> {
  const isDevelopment = values.WAYMAKER_DEVELOPMENT;
  const isPublic = [values.WAYMAKER_PUBLIC_URL, values.WAYMAKER_CONSOLE_URL].some(isHttps);
  const takesSandboxPayments = paymentsMode(values) === 'sandbox';
  if (!values.SMTP_URL && (!isDevelopment || isPublic)) {
    const message = isPublic
      ? 'needed with a public https address: the development mailbox shows all sign-in codes'
      : 'needed: the server that mails sign-in codes; WAYMAKER_DEVELOPMENT=1 shows them on a page instead';
    yield { path: ['SMTP_URL'], message };
  }
  if (takesSandboxPayments && (!isDevelopment || isPublic)) {
    const message = isPublic
      ? 'the sandbox gives plans away: not with a public https address'
      : 'the sandbox gives plans away: only with WAYMAKER_DEVELOPMENT=1';
    yield { path: ['WAYMAKER_PAYMENTS'], message };
  }
  if (paymentsMode(values) === 'provider') yield* unsafeProvider(values);
}

const isHttps = (url: string | undefined) => url !== undefined && URL.parse(url)?.protocol === 'https:';

function* unsafeProvider({ WAYMAKER_PAYMENT_URL: url, WAYMAKER_PAYMENT_SECRET: secret }: SafetySettings) {
  if (url === undefined)
    yield { path: ['WAYMAKER_PAYMENT_URL'], message: 'needed with payments by a provider' };
  // Each request carries the secret.
  else if (!isHttps(url) && !isLoopbackName(new URL(url).hostname)) {
    yield { path: ['WAYMAKER_PAYMENT_URL'], message: 'must be https, unless it is on this machine' };
  }
  if (secret === undefined) {
    yield { path: ['WAYMAKER_PAYMENT_SECRET'], message: 'needed with payments by a provider' };
  }
}

export function paymentsMode(values: SafetySettings): PaymentsKind {
  return values.WAYMAKER_PAYMENTS ?? (values.WAYMAKER_DEVELOPMENT ? 'sandbox' : 'off');
}

import path from 'node:path';
import { releaseVersion } from '#shared/app-version.ts';
import { connectivityProbe } from '#shared/constants.ts';
import { z } from 'zod';
import { gatewayPlaceholder, isPasswordFileName } from './gateways/password-file-name.ts';
import { maxGigabytes } from './gigabytes.ts';
import { trustedProxies } from './http/trusted-proxies.ts';
import { unsafeSettings } from './unsafe-settings.ts';

const tenYearsHours = 10 * 365 * 24;

const port = z.coerce.number().int().min(0).max(65535);
const root = path.resolve(import.meta.dirname, '../..');

/** The base address of a page or service. */
const baseUrl = z
  .url({ protocol: /^https?$/ })
  .refine(isBase, 'must be without a user, a query and a fragment')
  .transform((url) => url.replace(/\/+$/, ''));

function isBase(url: string): boolean {
  const { username = '', search = '', hash = '' } = URL.parse(url) ?? {};
  return [username, search, hash].every((part) => part === '');
}

/** `1` means yes, `0` no. */
const flag = z.enum(['0', '1']).transform((value) => value === '1');

/** An environment variable that is empty or blank counts as not set, as in `WAYMAKER_SEED_FILE= npm start`. */
export const withoutEmpty = (environment: NodeJS.ProcessEnv) =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value = '']) =>
      value.trim() === '' ? [] : [[name, value.trim()]],
    ),
  );

/** An address, alone or in angle brackets after a name. */
const sender = /^(?:[^<>\p{Cc}]*<[^<>\s@,]+@[^<>\s@,]+>|[^<>\s@,]+@[^<>\s@,]+)$/u;

function checkTrustedProxies(list: string, context: z.RefinementCtx): void {
  try {
    trustedProxies(list);
  } catch (error) {
    context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
  }
}

export const environment = z
  .object({
    WAYMAKER_SERVICE_HOST: z.string().default('127.0.0.1'),
    WAYMAKER_SERVICE_PORT: port.default(8787),
    WAYMAKER_SERVICE_SOCKET: z.string().optional(),
    WAYMAKER_TRUSTED_PROXIES: z.string().default('').superRefine(checkTrustedProxies),
    WAYMAKER_LIMIT_FACTOR: z.coerce.number().positive().max(1_000_000).optional(),
    WAYMAKER_SERVICE_KEY_FILE: z.string().optional(),
    WAYMAKER_PUBLIC_URL: baseUrl.optional(),
    WAYMAKER_CONSOLE_URL: baseUrl.optional(),
    WAYMAKER_DOWNLOAD_MACOS_URL: z.url({ protocol: /^https?$/ }).optional(),
    WAYMAKER_DOWNLOAD_WINDOWS_URL: z.url({ protocol: /^https?$/ }).optional(),
    WAYMAKER_DOWNLOAD_LINUX_URL: z.url({ protocol: /^https?$/ }).optional(),
    WAYMAKER_SUPPORT_EMAIL: z.email().optional(),
    WAYMAKER_LATEST_VERSION: z
      .string()
      .refine((version) => releaseVersion.safeParse(version).success, 'three numbers, such as 1.2.3')
      .optional(),
    WAYMAKER_DEVELOPMENT: flag.default(false),
    WAYMAKER_PAYMENTS: z.enum(['off', 'sandbox', 'provider']).optional(),
    WAYMAKER_PAYMENT_URL: baseUrl.optional(),
    WAYMAKER_PAYMENT_SECRET: z.string().min(32).optional(),
    DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    WAYMAKER_DATABASE_CONNECTIONS: z.coerce.number().int().min(1).max(1000).default(10),
    // Within what timers and PostgreSQL support, and long enough for a statement.
    WAYMAKER_DATABASE_TIMEOUT_SECONDS: z.coerce.number().min(0.1).max(3600).default(8),
    WAYMAKER_DATA_DIR: z.string().default(path.join(root, '.waymaker/service')),
    SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
    MAIL_FROM: z
      .string()
      .regex(sender, 'must be an address, or `Name <address>`')
      .default('Waymaker <no-reply@waymaker.invalid>'),
    WAYMAKER_MAILBOX_PORT: port.default(8025),
    WAYMAKER_MAILBOX_SOCKET: z.string().optional(),
    WAYMAKER_SEED_FILE: z.string().optional(),
    WAYMAKER_ROUTE_LISTS: z.string().optional(),
    WAYMAKER_ROUTE_DOMAINS_FILE: z.string().optional(),
    WAYMAKER_GATEWAY_PASSWORD_FILE: z
      .string()
      .refine(isPasswordFileName, `may have ${gatewayPlaceholder} once, in the name of the file`)
      .optional(),
    WAYMAKER_TRAFFIC_SPOOL: z.string().optional(),
    WAYMAKER_USER_LABELS_FILE: z.string().optional(),
    WAYMAKER_CONSOLE_DIR: z.string().default(path.join(root, 'out/renderer')),
    WAYMAKER_CONSOLE_OFFLINE: flag.default(true),
    WAYMAKER_APP_ORIGINS: z
      .string()
      .default('')
      .transform((origins) => origins.split(/\s+/).filter(Boolean))
      .pipe(z.array(z.string().regex(/^[a-z][a-z0-9+.-]*:\/\/[a-z0-9.-]+(?::\d+)?$/))),
    WAYMAKER_PROBE_PAGES: z
      .string()
      .default(connectivityProbe.pages.join(' '))
      .transform((pages) => pages.trim().split(/\s+/))
      .pipe(z.array(z.url({ protocol: /^https?$/ }).regex(/^[^;,'"]+$/)).max(4)),
    WAYMAKER_ADDRESS_URL: z
      .url({ protocol: /^https?$/ })
      .max(2048)
      .optional(),
    WAYMAKER_SENTRY_DSN: z.url({ protocol: /^https?$/ }).optional(),
    WAYMAKER_TRIAL_HOURS: z.coerce.number().nonnegative().max(tenYearsHours).default(72),
    WAYMAKER_TRIAL_GIGABYTES: z
      .union([z.literal('unlimited'), z.coerce.number().positive().max(maxGigabytes)], {
        error: `must be unlimited, or a number of at most ${maxGigabytes}`,
      })
      .default(20),
    WAYMAKER_LOG_LEVEL: z
      .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
      .default('info'),
  })
  .refine((values) => !values.SMTP_URL || !values.MAIL_FROM.includes('waymaker.invalid'), {
    path: ['MAIL_FROM'],
    error: 'needed with SMTP_URL: the sender of the mails',
  })
  .superRefine((values, context) => {
    for (const issue of unsafeSettings(values)) context.addIssue({ code: 'custom', ...issue });
  });

/** The schema of each environment variable; docs/operator.md explains them. */
export const settings = environment.shape;

/** Variables of the desktop app and what it runs in, which `npm start` starts in the same environment. */
const othersSettings: ReadonlySet<string> = new Set([
  'WAYMAKER_API_URL',
  'WAYMAKER_HELPER_SOCKET',
  'WAYMAKER_CHROMIUM',
]);

/** Variables that look like settings but are not. */
export function unknownSettings(variables: NodeJS.ProcessEnv): string[] {
  return Object.keys(variables).filter(
    (name) => name.startsWith('WAYMAKER_') && !(name in environment.shape) && !othersSettings.has(name),
  );
}

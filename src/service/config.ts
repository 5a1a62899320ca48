import { existsSync } from 'node:fs';
import path from 'node:path';
import { releaseVersion } from '#shared/app-version.ts';
import { connectivityProbe } from '#shared/constants.ts';
import type { BasicInfo } from '#shared/entities.ts';
import { z } from 'zod';
import type { Trial } from './account/account.ts';
import type { DatabaseConfig } from './database/database-config.ts';
import { gatewayPlaceholder, isPasswordFileName } from './gateways/password-file-name.ts';
import { isLoopbackName } from './http/loopback.ts';
import { trustedProxies } from './http/trusted-proxies.ts';

/** So that the number of bytes is exact in JavaScript and in the database. */
export const maxGigabytes = 1_000_000;
const tenYearsHours = 10 * 365 * 24;

/** 0 means unlimited here, but the operator has to say `unlimited`. */
export const trafficBytes = (gigabytes: number | 'unlimited') =>
  gigabytes === 'unlimited' ? 0 : Math.max(1, Math.round(gigabytes * 1e9));

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
const withoutEmpty = (environment: NodeJS.ProcessEnv) =>
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

const environment = z
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

interface SafetySettings {
  WAYMAKER_DEVELOPMENT: boolean;
  WAYMAKER_PAYMENTS?: ServiceConfig['payments']['kind'] | undefined;
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
function* unsafeSettings(values: SafetySettings): Generator<{ path: string[]; message: string }> {
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

function paymentsMode(values: SafetySettings): ServiceConfig['payments']['kind'] {
  return values.WAYMAKER_PAYMENTS ?? (values.WAYMAKER_DEVELOPMENT ? 'sandbox' : 'off');
}

export type DownloadLinks = Pick<
  BasicInfo['links'],
  'download_macos_url' | 'download_windows_url' | 'download_linux_url'
>;

export interface ServiceConfig {
  host: string;
  /** 0 means any free port. */
  port: number;
  /** Path of an additional Unix socket to listen on. */
  socket: string | undefined;
  /** The proxies that are believed about whom they forward for: addresses, networks and `unix`, separated by commas. */
  trustedProxies: string;
  /** The factor by which all limits are multiplied. */
  limitFactor: number;
  /** The key for keyed hashes and gateway passwords. */
  serviceKeyFile: string;
  /** Where users reach the service, without a trailing slash; if undefined, each request decides. */
  publicUrl: string | undefined;
  /** Where the console's pages are, without a trailing slash, if they are not where the service is. */
  consoleUrl: string | undefined;
  /** Installers of the desktop app, where they are published. */
  downloads: DownloadLinks;
  /** Where users can write to about a problem. */
  supportEmail: string | undefined;
  /** The current release of the desktop app. */
  latestVersion: string | undefined;
  database: DatabaseConfig;
  mail:
    | { kind: 'smtp'; url: string; from: string }
    | { kind: 'mailbox'; from: string; port: number; socket: string | undefined };
  /** How plans are paid for. Off: only by license keys and the operator's grants. */
  payments: { kind: 'off' } | { kind: 'sandbox' } | { kind: 'provider'; url: string; secret: string };
  seedFile: string | undefined;
  /**
   * The folder of the lists that apps route by, and the file with the sites if it is not the default one; undefined
   * without lists.
   */
  routeLists: { directory: string; routeDomainsFile: string | undefined } | undefined;
  gatewayPasswordFile: string | undefined;
  /** The directory in which gateways record the traffic of their sessions. */
  trafficSpool: string | undefined;
  /** The labels that the operator gives to users. */
  userLabelsFile: string | undefined;
  /** The built web console; undefined if there is none. */
  consoleDirectory: string | undefined;
  /** Whether browsers may store the console for use without a network. */
  isConsoleKept: boolean;
  /** Origins of pages that mobile apps contain, and that call the service from there. */
  appOrigins: string[];
  /** The origin to which the console's pages may send error reports; they were built with the same DSN. */
  errorReportsTo: string | undefined;
  /** The pages that apps and console load to see whether there is a network. */
  probePages: string[];
  /** A URL that answers with the caller's address; if undefined, the service itself. */
  addressUrl: string | undefined;
  /** The trial of a new account; with 0 hours there are no trials. */
  trial: Trial;
  logLevel: z.output<typeof environment>['WAYMAKER_LOG_LEVEL'];
}

function paymentsOf(values: SafetySettings): ServiceConfig['payments'] {
  const kind = paymentsMode(values);
  if (kind !== 'provider') return { kind };
  const { WAYMAKER_PAYMENT_URL: url = '', WAYMAKER_PAYMENT_SECRET: secret = '' } = values;
  return { kind, url, secret };
}

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

/** Reads the configuration; throws a ZodError that names each wrong variable. */
export function readConfig(variables: NodeJS.ProcessEnv): ServiceConfig {
  const env = environment.parse(withoutEmpty(variables));
  return {
    host: env.WAYMAKER_SERVICE_HOST,
    port: env.WAYMAKER_SERVICE_PORT,
    socket: env.WAYMAKER_SERVICE_SOCKET,
    trustedProxies: env.WAYMAKER_TRUSTED_PROXIES,
    // In development, one person signs in as many people from one address.
    limitFactor: env.WAYMAKER_LIMIT_FACTOR ?? (env.WAYMAKER_DEVELOPMENT ? 1000 : 1),
    serviceKeyFile: env.WAYMAKER_SERVICE_KEY_FILE ?? path.join(env.WAYMAKER_DATA_DIR, 'service.key'),
    publicUrl: env.WAYMAKER_PUBLIC_URL,
    consoleUrl: env.WAYMAKER_CONSOLE_URL,
    downloads: {
      download_macos_url: env.WAYMAKER_DOWNLOAD_MACOS_URL,
      download_windows_url: env.WAYMAKER_DOWNLOAD_WINDOWS_URL,
      download_linux_url: env.WAYMAKER_DOWNLOAD_LINUX_URL,
    },
    supportEmail: env.WAYMAKER_SUPPORT_EMAIL,
    latestVersion: env.WAYMAKER_LATEST_VERSION,
    database: env.DATABASE_URL
      ? {
          kind: 'postgresql',
          url: env.DATABASE_URL,
          connections: env.WAYMAKER_DATABASE_CONNECTIONS,
          timeoutMs: Math.round(env.WAYMAKER_DATABASE_TIMEOUT_SECONDS * 1000),
        }
      : { kind: 'pglite', directory: path.resolve(env.WAYMAKER_DATA_DIR) },
    mail: env.SMTP_URL
      ? { kind: 'smtp', url: env.SMTP_URL, from: env.MAIL_FROM }
      : {
          kind: 'mailbox',
          from: env.MAIL_FROM,
          port: env.WAYMAKER_MAILBOX_PORT,
          socket: env.WAYMAKER_MAILBOX_SOCKET,
        },
    payments: paymentsOf(env),
    seedFile: env.WAYMAKER_SEED_FILE,
    routeLists:
      env.WAYMAKER_ROUTE_LISTS === undefined
        ? undefined
        : { directory: env.WAYMAKER_ROUTE_LISTS, routeDomainsFile: env.WAYMAKER_ROUTE_DOMAINS_FILE },
    gatewayPasswordFile: env.WAYMAKER_GATEWAY_PASSWORD_FILE,
    trafficSpool: env.WAYMAKER_TRAFFIC_SPOOL,
    userLabelsFile: env.WAYMAKER_USER_LABELS_FILE,
    consoleDirectory: existsSync(path.join(env.WAYMAKER_CONSOLE_DIR, 'index.html'))
      ? path.resolve(env.WAYMAKER_CONSOLE_DIR)
      : undefined,
    isConsoleKept: env.WAYMAKER_CONSOLE_OFFLINE,
    appOrigins: env.WAYMAKER_APP_ORIGINS,
    probePages: env.WAYMAKER_PROBE_PAGES,
    addressUrl: env.WAYMAKER_ADDRESS_URL,
    errorReportsTo: env.WAYMAKER_SENTRY_DSN && new URL(env.WAYMAKER_SENTRY_DSN).origin,
    trial: {
      hours: env.WAYMAKER_TRIAL_HOURS,
      traffic: trafficBytes(env.WAYMAKER_TRIAL_GIGABYTES),
    },
    logLevel: env.WAYMAKER_LOG_LEVEL,
  };
}

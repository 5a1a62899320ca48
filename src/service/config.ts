import { existsSync } from 'node:fs';
import path from 'node:path';
import type { BasicInfo } from '#shared/entities.ts';
import type { z } from 'zod';
import type { Trial } from './account/account.ts';
import type { DatabaseConfig } from './database/database-config.ts';
import { trafficBytes } from './gigabytes.ts';
import { environment, withoutEmpty } from './settings.ts';
import { paymentsMode, type SafetySettings } from './unsafe-settings.ts';

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

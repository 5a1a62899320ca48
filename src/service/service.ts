import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { accountHandlers } from './account/account-handlers.ts';
import { createHttpServer } from './http-server.ts';
import type { ServiceConfig } from './config.ts';
import { databaseClock } from './database/database-clock.ts';
import { openDatabase, type Database } from './database/database.ts';
import { lookRegularly } from './followed-file.ts';
import { deleteSelfHandlers } from './account/delete-self.ts';
import { createEntitlements } from './account/entitlements.ts';
import { accountChannel } from './database/account-changes.ts';
import { createEventStreams, type StreamLimits } from './events/event-streams.ts';
import { checkServiceKey, hasServiceKey } from './http/service-key-check.ts';
import { deviceHandlers } from './account/device-handlers.ts';
import { mergedAccess, publishGatewayAccess, type ChangedAccess } from './gateways/gateway-access.ts';
import type { GatewayAccess } from './gateways/gateway-port.ts';
import { reviewGatewayAccess } from './gateways/review-gateway-access.ts';
import { batched } from './gateways/batched.ts';
import { gatewayLoginHandlers } from './gateways/gateway-login-handlers.ts';
import { createGatewayPasswords } from './gateways/gateway-passwords.ts';
import { countGatewayTraffic } from './gateways/gateway-traffic.ts';
import { httpPaymentProvider } from './billing/http-payment-provider.ts';
import { miniAppHandlers } from './group/mini-app-handlers.ts';
import { invitationHandlers } from './group/invitation-handlers.ts';
import { openInvitationMails } from './group/invitation-mails.ts';
import type { Handlers } from './http/handler.ts';
import { jobNames } from './jobs/job-names.ts';
import { readOperatorTexts } from './database/operator-texts.ts';
import { openJobs, type Jobs } from './jobs/jobs.ts';
import { licenseKeyHandlers } from './billing/license-key-handlers.ts';
import { createLogger, describeError } from './log.ts';
import { openMail } from './mail/mail.ts';
import { memberHandlers } from './group/member-handlers.ts';
import { ocservPasswordFile } from './gateways/ocserv-password-file.ts';
import { openOcservTrafficSpool } from './gateways/ocserv-traffic-spool.ts';
import { orderHandlers } from './billing/order-handlers.ts';
import { createOrderPayments } from './billing/order-payments.ts';
import { wordgateHandlers } from './billing/wordgate-handlers.ts';
import { storeHandlers } from './store/store-handlers.ts';
import { visitHandlers } from './store/visit-handlers.ts';
import { publicHandlers } from './public-handlers.ts';
import { readSeed, seedDatabase } from './seed.ts';
import { forSetting, listeningSetting } from './setting-problem.ts';
import { followRouteLists, noRouteLists } from './route-lists/route-lists.ts';
import { routeHandlers } from './route-lists/route-handlers.ts';
import { serverGroupHandlers } from './gateways/server-groups.ts';
import { signInHandlers } from './sign-in/sign-in-handlers.ts';
import { paymentEventsPath } from './billing/payment-webhook.ts';
import { reconcilePayments } from './billing/reconcile.ts';
import { createSettle } from './billing/order-settlement.ts';
import { openWordgate, type SendWebhook } from './billing/wordgate-events.ts';
import { followUserLabels, noUserLabels } from './group/user-labels.ts';
import { forgetIdleDevices } from './http/device-authentication.ts';
import { keyedHash, openServiceKey } from './http/keyed-hash.ts';
import { trustedProxies } from './http/trusted-proxies.ts';
import { createLimiter } from './limits/limiter.ts';
import { scaledLimits, type Limits } from './limits/limits.ts';
import { inTime, listenOnUnixSocket } from './http/unix-socket.ts';

export interface ServiceAddresses {
  /** Where the service listens, e.g. `http://127.0.0.1:8787`. */
  url: string;
  /** The development mailbox's page, if the service runs one. */
  mailboxUrl: string | undefined;
}

export interface Service {
  http: FastifyInstance;
  database: Database;
  jobs: Jobs;
  /** The development mailbox's page, if the service runs one. */
  mailboxUrl: string | undefined;
  /** Starts to answer; rejects if an address is in use. */
  listen(): Promise<ServiceAddresses>;
  /** Answers requests in progress, then releases everything. */
  close(): Promise<void>;
}

export interface ServiceOptions {
  config: ServiceConfig;
  /** The database's clock by default. */
  now?: () => Date;
  /** Standard error by default. */
  logger?: Logger;
  /** Limits on strangers. */
  limits?: Limits;
  /** How many requests one source can send to each process in a minute. */
  requestsPerMinute?: number;
  /** Limits on open event streams. */
  streamLimits?: StreamLimits;
  /** Whether this process also runs jobs, or only adds them for others; true by default. */
  doesJobs?: boolean;
}

/** Creates the service: opens its database, starts its mailbox, writes the gateways' password files. */
export async function createService({
  config,
  now: givenNow,
  logger = createLogger(config.logLevel, process.stderr),
  limits = scaledLimits(config.limitFactor),
  requestsPerMinute = Math.ceil(600 * config.limitFactor),
  streamLimits = { inAll: 10_000, perSource: Math.ceil(200 * config.limitFactor), perAccount: 50 },
  doesJobs = true,
}: ServiceOptions): Promise<Service> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const closer of closers.splice(0).toReversed()) await closer();
  };
  try {
    const seed = config.seedFile && (await forSetting('WAYMAKER_SEED_FILE', readSeed(config.seedFile)));
    const opened = await forSetting(
      config.database.kind === 'pglite' ? 'WAYMAKER_DATA_DIR' : 'DATABASE_URL',
      openDatabase(config.database, (error) =>
        logger.warn(describeError(error), 'the database failed outside of a call'),
      ),
    );
    closers.push(() => opened.close());
    const { database } = opened;
    const logClock = (error: unknown) =>
      logger.warn(describeError(error), 'the database does not tell the time');
    const now = givenNow ?? (await databaseClock(database, logClock));
    if (seed) await forSetting('WAYMAKER_SEED_FILE', seedDatabase(database, seed));
    // Before the jobs, which send mail until they are closed.
    const mail = await openMail(config.mail, (language) => readOperatorTexts(database, language), now);
    closers.push(() => mail.close());
    const jobs = await openJobs(opened, { logger, works: doesJobs });
    closers.push(() => jobs.close());
    const hash = keyedHash(
      await forSetting(
        'WAYMAKER_SERVICE_KEY_FILE',
        openServiceKey(config.serviceKeyFile, () => hasServiceKey(database)),
      ),
    );
    await forSetting('WAYMAKER_SERVICE_KEY_FILE', checkServiceKey(database, hash));
    const limiter = createLimiter({ database, limits, hash, now });
    await jobs.everyMinute(jobNames.limits, () => limiter.forgetFull());
    const streams = createEventStreams({ database, limits: streamLimits, logger });
    await jobs.listen(
      accountChannel,
      (payload) => streams.notified(payload),
      () => streams.endAll(),
    );
    const trustsProxy = trustedProxies(config.trustedProxies);
    if (config.socket !== undefined && !trustsProxy(undefined)) {
      logger.warn('callers over the Unix socket share one limit: "unix" is not in WAYMAKER_TRUSTED_PROXIES');
    }
    const gateways: GatewayAccess | undefined =
      config.gatewayPasswordFile === undefined ? undefined : ocservPasswordFile(config.gatewayPasswordFile);
    const passwords = gateways && createGatewayPasswords(hash, gateways);
    const entitlements = createEntitlements({ gateways, now });
    // Gateways follow when their files are next written.
    await jobs.everyMinute(jobNames.idleDevices, () => forgetIdleDevices(database, now()));
    const publishGateways = batched(async (changes: readonly ChangedAccess[]) => {
      if (gateways) await publishGatewayAccess(database, gateways, now(), mergedAccess(changes));
    });
    if (gateways) {
      const review = () => reviewGatewayAccess(database, gateways, now());
      await forSetting('WAYMAKER_GATEWAY_PASSWORD_FILE', review());
      // Trials and plans end without anybody doing anything.
      await jobs.everyMinute(jobNames.gatewayAccess(config), review);
    }
    const spool =
      config.trafficSpool === undefined
        ? undefined
        : await forSetting('WAYMAKER_TRAFFIC_SPOOL', openOcservTrafficSpool(config.trafficSpool));
    const countTraffic = async () => {
      const logError = (error: unknown) => logger.error(describeError(error), 'traffic could not be counted');
      if (spool) await countGatewayTraffic(database, spool, logger, now()).catch(logError);
    };
    if (spool) await jobs.everyMinute(jobNames.traffic(config), countTraffic);
    const { mailer, mailboxUrl } = mail;
    const { consoleDirectory, consoleUrl, publicUrl } = config;
    if (consoleDirectory === undefined) {
      logger.warn('no console is served: WAYMAKER_CONSOLE_DIR has no index.html (npm run build makes it)');
    }
    const { payments } = config;
    const settle = createSettle({ entitlements, now, logger });
    const secret = payments.kind === 'provider' ? payments.secret : randomBytes(32).toString('hex');
    /** The sandbox runs in this process, and sends its reports the way any provider does. */
    const sendToSelf: SendWebhook = async (request) => {
      const reply = await http.inject({ method: 'POST', url: paymentEventsPath, ...request });
      return reply.statusCode;
    };
    const wordgate =
      payments.kind === 'sandbox'
        ? await openWordgate({ database, jobs, secret, send: sendToSelf, now })
        : undefined;
    const provider = payments.kind === 'provider' ? httpPaymentProvider(payments) : wordgate;
    const orderPayments = createOrderPayments({ database, settle, provider, consoleUrl, now, logger });
    if (provider) {
      const reconcile = () => reconcilePayments({ database, provider, settle, now, logger });
      await jobs.everyMinute(jobNames.payments, reconcile);
    }
    // Not where the request says the service is: the inviting person must not choose where the mail's link leads.
    const pagesUrl = consoleUrl ?? publicUrl;
    const addMail = await openInvitationMails({
      database,
      jobs,
      mailer,
      pageUrl: pagesUrl === undefined ? undefined : `${pagesUrl}/dashboard`,
      now,
      logger,
    });
    const kept = (problem: unknown) => {
      const reason = problem instanceof Error ? problem.message : String(problem);
      logger.warn({ reason }, 'what is on disk now cannot be used, and what was read before stays in use');
    };
    const { routeLists: lists, userLabelsFile } = config;
    const routeLists = lists
      ? await forSetting(
          'WAYMAKER_ROUTE_LISTS',
          followRouteLists(lists.directory, lists.routeDomainsFile, {
            onInvalid: (place) => logger.warn(`${place} is no entry of this list and is left out`),
            onProblem: kept,
          }),
        )
      : undefined;
    const userLabels =
      userLabelsFile === undefined
        ? undefined
        : await forSetting('WAYMAKER_USER_LABELS_FILE', followUserLabels(userLabelsFile, kept));
    const endLooks = lookRegularly(async () => {
      await routeLists?.look();
      await userLabels?.look();
    });
    closers.push(async () => endLooks());
    const handlers: Handlers = {
      ...publicHandlers({
        database,
        consoleUrl,
        downloads: config.downloads,
        supportEmail: config.supportEmail,
        latestVersion: config.latestVersion,
        probePages: config.probePages,
        addressUrl: config.addressUrl,
      }),
      ...signInHandlers({
        database,
        mailer,
        limiter,
        publishGateways,
        trial: config.trial,
        hash,
        now,
      }),
      ...accountHandlers({ database, countTraffic, now }),
      ...serverGroupHandlers({ database, now }),
      ...gatewayLoginHandlers({ database, gateways, passwords, publishGateways, now }),
      ...routeHandlers({ database, routeLists: () => routeLists?.lists ?? noRouteLists }),
      ...deviceHandlers({ database, entitlements }),
      ...orderHandlers({ database, payments: orderPayments, now }),
      ...storeHandlers({ database, payments: payments.kind, now }),
      ...visitHandlers({ database, payments: orderPayments, now }),
      ...wordgateHandlers({ wordgate, now }),
      ...licenseKeyHandlers({ database, entitlements, now }),
      ...memberHandlers({ database, entitlements, addMail, now }),
      ...invitationHandlers({ database, entitlements, now }),
      ...miniAppHandlers({ database, userLabels: () => userLabels?.content ?? noUserLabels, now }),
      ...deleteSelfHandlers({ database, entitlements, hash }),
    };
    const http = await createHttpServer({
      handlers,
      database,
      publicUrl,
      consoleUrl,
      consoleDirectory,
      isConsoleKept: config.isConsoleKept,
      appOrigins: config.appOrigins,
      errorReportsTo: config.errorReportsTo,
      probePages: config.probePages,
      trustsProxy,
      limiter,
      streams,
      requestsPerMinute,
      paymentEvents: provider && { settle, secret },
      logger,
      now,
    });
    closers.push(() => inTime(http.server, http.close()));
    await jobs.start();
    // Payments that arrived while no service ran need not wait for the next minute.
    if (provider && doesJobs) await jobs.doNow(jobNames.payments);
    // Closed before the server, which the sandbox's jobs call.
    closers.push(() => jobs.close());
    const listen = async () => {
      const listening = { host: config.host, port: config.port, listenTextResolver: (at: string) => at };
      const url = await forSetting(
        listeningSetting({ host: 'WAYMAKER_SERVICE_HOST', port: 'WAYMAKER_SERVICE_PORT' }),
        http.listen(listening),
      );
      if (config.socket !== undefined) {
        closers.push(await forSetting('WAYMAKER_SERVICE_SOCKET', listenOnUnixSocket(http, config.socket)));
      }
      // Closed first, because streams do not end by themselves.
      closers.push(async () => streams.close());
      return { url, mailboxUrl };
    };
    return { http, database, jobs, mailboxUrl, listen, close };
  } catch (error) {
    await close();
    throw error;
  }
}

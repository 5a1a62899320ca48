import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { text } from 'node:stream/consumers';
import { apiCalls, type ApiCallName, type ApiData } from '#shared/api/calls.ts';
import { authorizationOf } from '#shared/api/client.ts';
import { eventsPath } from '#shared/api/events.ts';
import { apiCode } from '#shared/api/result.ts';
import { parseJson } from '#shared/parse-json.ts';
import type { ServerCertificate } from './gateway/certificate.ts';

/** Everything that the service of a self-test knows. */
export interface ServiceFacts {
  email: string;
  /** With which one signs in, where others get one by mail. */
  code: string;
  token: string;
  gateway: { domain: string; port: number; username: string; password: string };
  /** What automatic routing sends to the proxy. */
  routeDomains: readonly string[];
}

/** The id of its only server. */
const onlyServer = 'self-test';

type Answers = { [Name in ApiCallName]?: () => ApiData<Name> };

const authId = 'self-test';
const maxBodyBytes = 64 * 1024;

/** When the plan ends, in milliseconds from now. */
const planMs = 24 * 3_600_000;

/**
 * A service for a single account and a single server: the calls that an app makes until it is connected, and nothing
 * else. It keeps no state, so that several can be the same one, seen by different ways.
 */
export function createService(facts: ServiceFacts): {
  /** Listens at an address, in the network namespace that this thread is in; with a certificate, by TLS. */
  listen(address: string, port: number, certificate?: ServerCertificate): Promise<void>;
  close(): void;
} {
  const servers: Server[] = [];
  const expiredAt = () => new Date(Date.now() + planMs).toISOString();
  const { gateway } = facts;
  const open: Answers = {
    basicInfo: () => ({ links: noLinks }),
    getAuthCode: () => ({ authId }),
  };
  const signedIn: Answers = {
    userInfo: () => ({ email: facts.email, profile: { level: 2, firstOrderDone: true, seatsUsed: 0 } }),
    myService: () => ({ serviceId: 'self-test', expiredAt: expiredAt(), seats: 1, service: 'self-test' }),
    serverGroups: () => ({
      items: [
        {
          id: 'self-test',
          name: 'self-test',
          isTrial: false,
          trialExpiredAt: null,
          items: [
            {
              id: 'self-test',
              level: 1,
              servers: [
                { serverId: onlyServer, name: 'self-test', domain: gateway.domain, port: gateway.port },
              ],
            },
          ],
        },
      ],
    }),
    gatewayLogins: () => ({ items: [gateway] }),
    pac: () => ({ routeDomains: [...facts.routeDomains], blockedDomains: [] }),
    ipv4Countries: () => ({ items: [] }),
  };

  function dataOf(request: IncomingMessage, body: unknown): { code: number; data: unknown } {
    const called = (Object.keys(apiCalls) as ApiCallName[]).find(
      (name) => apiCalls[name].method === request.method && apiCalls[name].path === pathOf(request),
    );
    if (called === undefined) return { code: apiCode.notFound, data: null };
    if (called === 'auth') {
      const given = apiCalls.auth.body.safeParse(body);
      const isRight = given.success && given.data.authCode === facts.code && given.data.authId === authId;
      return isRight
        ? { code: apiCode.success, data: { token: facts.token } }
        : { code: apiCode.invalid, data: null };
    }
    const answer = open[called] ?? (isSignedIn(request) ? signedIn[called] : undefined);
    if (answer) return { code: apiCode.success, data: answer() };
    const isKnown = signedIn[called] !== undefined;
    return { code: isKnown ? apiCode.unauthorized : apiCode.notFound, data: null };
  }

  /** Which device it is does not matter. */
  function isSignedIn({ headers }: IncomingMessage): boolean {
    const [, encoded = ''] = (headers.authorization ?? '').split(' ');
    const [deviceId = ''] = Buffer.from(encoded, 'base64').toString('latin1').split(':');
    return headers.authorization === authorizationOf({ deviceId, token: facts.token });
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (pathOf(request) === eventsPath) {
      // Open, and silent: nothing changes.
      response.writeHead(isSignedIn(request) ? 200 : 401, { 'content-type': 'text/event-stream' });
      if (isSignedIn(request)) response.write(':\n\n');
      else response.end();
      return;
    }
    if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) return void request.destroy();
    const { code, data } = dataOf(request, parseJson(await text(request)));
    response.writeHead(code === apiCode.unauthorized ? 401 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ code, msg: '', data }));
  }

  return {
    async listen(address, port, certificate) {
      const answer = (request: IncomingMessage, response: ServerResponse) => {
        response.on('error', () => undefined);
        void serve(request, response).catch(() => response.destroy());
      };
      const server = certificate
        ? createSecureServer({ cert: certificate.certificate, key: certificate.key }, answer)
        : createServer(answer);
      servers.push(server);
      server.listen(port, address);
      await once(server, 'listening');
    },
    close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

const pathOf = ({ url = '' }: IncomingMessage): string => url.split('?')[0] ?? '';

const noLinks = {
  delete_account_url: '',
  user_privacy_url: '',
  manage_apps: '',
  manage_members: '',
  manage_servers: '',
  device_login: '',
  quick_start_url: '',
  seller_event_url: '',
  purchase_url: '',
  pay_url: '',
  change_service_url: '',
};

import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { lenientHttp } from '../lenient-http.ts';
import { decodeXml } from './xml-encoding.ts';
import { unreachableBy, wantsCertificate, type GatewayTlsResult } from '#node/anyconnect/gateway-tls.ts';

/** One request to a gateway and its answer, or why there was none. */
export type GatewayExchange =
  | {
      ok: true;
      status: number;
      reason: string;
      location: string | undefined;
      /** WWW-Authenticate, all of them in one line. */
      challenge: string;
      body: string;
    }
  | Extract<GatewayTlsResult, { ok: false }>;

/** HTTP to one gateway over one verified connection, which is reopened if the gateway closes it. */
export interface GatewayHttp {
  /** Sends a message of the protocol. */
  post(path: string, body: string): Promise<GatewayExchange>;
  /** As gateways want it that do not know those messages. */
  get(path: string): Promise<GatewayExchange>;
  /** The next request opens another connection. */
  reconnect(): void;
  /** A cookie the gateway has set. */
  cookie(name: string): string | undefined;
  /** The pin of the key that the gateway proved to have; undefined before the first exchange. */
  pin(): string | undefined;
  /** The TLS session that it has given last (`GatewayTrust`). */
  tlsSession(): Buffer | undefined;
  close(): void;
}

/** For an answer over an open connection; a gateway that took long to open it has several times that in addition. */
const exchangeTimeoutMs = 15_000;
const openings = 2;
/** To open a connection, beside the limits of TLS. */
const openTimeoutMs = 60_000;
const maxBodyBytes = 256 * 1024;
const maxCookies = 32;

export function createGatewayHttp(options: {
  open(): Promise<GatewayTlsResult>;
  /** The Host header. */
  host: string;
  /** Those of each request, besides. */
  headers: () => Record<string, string>;
  signal: AbortSignal;
}): GatewayHttp {
  const cookies = new Map<string, string>();
  let pin: string | undefined;
  let tlsSession: () => Buffer | undefined = () => undefined;
  /** How long the last opening took. */
  let openedIn = 0;
  let timer: NodeJS.Timeout | undefined;
  /** Ends the exchange in progress. */
  let expire: () => void = () => undefined;
  const limitTo = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => expire(), milliseconds).unref();
  };
  const limitAnswer = () => limitTo(exchangeTimeoutMs + openings * openedIn);
  const agent = new VerifiedAgent(async () => {
    const begun = performance.now();
    limitTo(openTimeoutMs);
    const result = await options.open();
    openedIn = performance.now() - begun;
    limitAnswer();
    if (result.ok) ({ pin, session: tlsSession } = result);
    return result;
  });

  async function exchange(path: string, body?: string): Promise<GatewayExchange> {
    const late = new AbortController();
    expire = () => late.abort(new Error('no answer'));
    limitAnswer();
    try {
      const until = AbortSignal.any([options.signal, late.signal]);
      const response = await send(path, body, until).catch((error: unknown) => {
        if (!(error instanceof UsedConnectionEnded)) throw error;
        agent.destroy();
        return send(path, body, until);
      });
      keepCookies(response, cookies);
      const { statusCode: status = 0 } = response;
      const { location } = response.headers;
      const { statusMessage: reason = '' } = response;
      const text = decodeXml(await readBody(response), response.headers['content-type']);
      const challenge = response.headers['www-authenticate'] ?? '';
      return { ok: true, status, reason, location, challenge, body: text };
    } catch (error) {
      if (error instanceof ConnectionRefused) return error.result;
      const failed = unreachableBy(error);
      if (!wantsCertificate(error)) return failed;
      return { ok: false, failure: 'certificate-required', detail: failed.detail };
    } finally {
      expire = () => undefined;
      clearTimeout(timer);
    }
  }

  function send(path: string, body: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    return new Promise((resolve, reject) => {
      // A request that still waits for its connection is not ended by its signal.
      signal.addEventListener('abort', () => reject(abortError(signal)), { once: true });
      if (signal.aborted) return reject(abortError(signal));
      const request = https.request(
        {
          agent,
          path,
          ...lenientHttp,
          method: body === undefined ? 'GET' : 'POST',
          headers: {
            Host: options.host,
            ...options.headers(),
            ...(body !== undefined && {
              'Content-Type': 'application/xml; charset=utf-8',
              'X-Aggregate-Auth': '1',
              'Content-Length': Buffer.byteLength(body),
            }),
            ...(cookie && { Cookie: cookie }),
          },
          signal,
        },
        resolve,
      );
      let heard = 0;
      request.once('socket', ({ bytesRead }) => {
        heard = bytesRead;
      });
      // One of before may have ended while somebody looked for a code: balancers and routers forget those that are
      // silent. Who has begun to answer has had the request, and perhaps used up the code.
      request.on('error', (error) => {
        const mayRepeat = request.reusedSocket && request.socket?.bytesRead === heard && !signal.aborted;
        reject(mayRepeat ? new UsedConnectionEnded(error) : error);
      });
      // If the gateway switches protocols (status 101), Node only emits this.
      request.once('close', () => reject(new Error('closed without an answer')));
      request.end(body);
    });
  }

  return {
    post: exchange,
    get: (path) => exchange(path),
    reconnect: () => agent.destroy(),
    cookie: (name) => cookies.get(name),
    pin: () => pin,
    tlsSession: () => tlsSession(),
    close: () => agent.destroy(),
  };
}

const abortError = ({ reason }: AbortSignal) => (reason instanceof Error ? reason : new Error('aborted'));

/** A connection of an earlier request has ended instead of an answer, of which nothing has come. */
class UsedConnectionEnded extends Error {
  override name = 'UsedConnectionEnded';

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

class ConnectionRefused extends Error {
  override name = 'ConnectionRefused';
  readonly result: Extract<GatewayTlsResult, { ok: false }>;

  constructor(result: Extract<GatewayTlsResult, { ok: false }>) {
    super(result.detail);
    this.result = result;
  }
}

/** Gives https only connections whose other end has been verified. */
class VerifiedAgent extends https.Agent {
  readonly #open: () => Promise<GatewayTlsResult>;

  constructor(open: () => Promise<GatewayTlsResult>) {
    super({ keepAlive: true, maxSockets: 1 });
    this.#open = open;
  }

  override createConnection(
    _options: https.AgentOptions,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    // Node's own agents call back with only the error, but the type does not allow that.
    const fail = callback as ((error: unknown) => void) | undefined;
    const connect = async () => {
      let result: GatewayTlsResult;
      try {
        result = await this.#open();
      } catch (error) {
        return fail?.(error);
      }
      if (result.ok) callback?.(null, result.socket);
      else fail?.(new ConnectionRefused(result));
    };
    void connect();
  }
}

function keepCookies(response: IncomingMessage, cookies: Map<string, string>): void {
  for (const header of response.headers['set-cookie'] ?? []) {
    const match = /^([^=;\s]+)=([^;]*)/.exec(header);
    const [, name = '', value = ''] = match ?? [];
    // No request can carry it.
    if (/[^\t\x20-\x7e\x80-\xff]/.test(name + value)) continue;
    if (value === '') cookies.delete(name);
    else if (cookies.size < maxCookies || cookies.has(name)) cookies.set(name, value);
  }
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBodyBytes) throw new Error('the reply is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

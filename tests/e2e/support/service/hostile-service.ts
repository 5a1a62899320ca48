import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Replies by the calls' paths, in the place of the service's own. */
export type Replies = Record<string, { code?: number; msg?: string; data?: unknown }>;

export interface HostileService extends AsyncDisposable {
  readonly apiUrl: string;
  /** Paths of the calls since this was last asked, in their order. */
  asked(): string[];
  /** What the service itself has answered, from the beginning on. */
  answered(): readonly string[];
}

/** Stands between an app and the service, and says what it wants in the service's place. */
export async function startHostileService(apiUrl: string, replies: Replies): Promise<HostileService> {
  const asked: string[] = [];
  const answered: string[] = [];
  const server = createServer((request, response) => {
    const answer = async () => {
      const path = request.url ?? '/';
      asked.push(path);
      // Of a list any page: what its query says does not matter.
      const { pathname } = new URL(path, apiUrl);
      const reply = Object.hasOwn(replies, pathname) ? replies[pathname] : undefined;
      if (reply) return JSON.stringify({ code: 0, msg: '', data: null, ...reply });
      const forwarded = await fetch(apiUrl + path, await copyOf(request));
      response.statusCode = forwarded.status;
      const body = await forwarded.text();
      answered.push(body);
      return body;
    };
    answer().then(
      (body) => response.setHeader('content-type', 'application/json').end(body),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    apiUrl: `http://127.0.0.1:${port}`,
    asked: () => asked.splice(0),
    answered: () => answered,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function copyOf(request: IncomingMessage): Promise<RequestInit> {
  const { method = 'GET', headers } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const kept = ['authorization', 'accept-language', 'content-type'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return {
    method,
    headers: Object.fromEntries(kept),
    ...(method === 'GET' ? {} : { body: Buffer.concat(chunks) }),
  };
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HostileSite extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly origin: string;
  /** Paths that were asked for, in order. */
  readonly asked: readonly string[];
}

const page = (body: string) =>
  `<!doctype html><title>Waymaker – sign in</title><h1>Hostile</h1><script>${body}</script>`;

/** A site on this machine that leaves a cookie and a stored text with whoever looks. */
export async function startHostileSite(): Promise<HostileSite> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/favicon.ico') return response.writeHead(404).end();
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.setHeader('set-cookie', 'visited=yes');
    const before = JSON.stringify(request.headers.cookie ?? '');
    return response.end(
      page(`
        window.cookieBefore = ${before};
        window.storedBefore = localStorage.getItem('visited');
        localStorage.setItem('visited', 'yes');
      `),
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

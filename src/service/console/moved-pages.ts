import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Apps remember links for a day, and people for longer. If the console has an address of its own, the store's pages
 * that used to be at the service's address are redirected there. Only requests to the service's own address are
 * redirected, so that there is no loop.
 */
export function addMovedPages(
  http: FastifyInstance,
  { publicUrl, consoleUrl }: { publicUrl: string | undefined; consoleUrl: string | undefined },
): void {
  if (publicUrl === undefined || consoleUrl === undefined) return;
  const { host } = new URL(publicUrl);
  if (host === new URL(consoleUrl).host) return;
  const move = (request: FastifyRequest, reply: FastifyReply) =>
    request.host === host ? reply.redirect(consoleUrl + request.url, 302) : reply.callNotFound();
  http.get('/store/*', move);
  http.get('/wordgate/pay/*', move);
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/**
 * Apps remember links for a day, and people for longer: where the console has an address of its own, the store's pages that
 * were once the service's are there, too. Only for requests that name the service's address, so that none is sent in
 * circles.
 */
export function addMovedPages(
  app: FastifyInstance,
  { publicUrl, consoleUrl }: { publicUrl: string | undefined; consoleUrl: string | undefined },
): void {
  if (publicUrl === undefined || consoleUrl === undefined) return;
  const { host } = new URL(publicUrl);
  if (host === new URL(consoleUrl).host) return;
  const move = (request: FastifyRequest, reply: FastifyReply) =>
    request.host === host ? reply.redirect(consoleUrl + request.url, 302) : reply.callNotFound();
  app.get('/store/*', move);
  app.get('/wordgate/pay/*', move);
}

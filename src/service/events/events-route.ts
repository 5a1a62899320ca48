import { eventsPath } from '#shared/api/events.ts';
import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/database.ts';
import { deviceAuthentication } from '../http/device-authentication.ts';
import { preferredLanguage } from '../http/language.ts';
import { refusalReply, type RefusalReason } from '../http/refusal.ts';
import { sourceOf } from '../http/trusted-proxies.ts';
import type { EventStreams } from './event-streams.ts';

/** Headers that keep proxies from storing, changing, compressing or buffering a stream. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  // nginx (ngx_http_proxy_module, proxy_buffering).
  'x-accel-buffering': 'no',
};

/** Adds `GET /api/events`, the stream of events of a signed-in device. */
export function addEvents(
  http: FastifyInstance,
  { database, streams, now }: { database: Database; streams: EventStreams; now: () => Date },
): void {
  const authenticate = deviceAuthentication(database);
  http.get(eventsPath, { exposeHeadRoute: false, compress: false }, async (request, reply) => {
    const refuse = (reason: RefusalReason) => {
      const refusal = refusalReply(reason, preferredLanguage(request.headers['accept-language']));
      return reply.code(refusal.code).send(refusal);
    };
    const device = await authenticate(request.headers.authorization, now());
    if (!device) return refuse('not-signed-in');
    const caller = { device, source: sourceOf(request.ip) };
    const refusal = streams.refusal(caller);
    if (refusal) return refuse(refusal);
    reply.hijack();
    // The client has disconnected meanwhile, and no event would report the end of this stream.
    if (reply.raw.destroyed) return reply;
    const headers = Object.entries({ ...reply.getHeaders(), ...streamHeaders });
    reply.raw.writeHead(
      200,
      headers.flatMap(([name, value]) => (value === undefined ? [] : [name, value])) as string[],
    );
    await streams.open(caller, reply.raw);
    return reply;
  });
}

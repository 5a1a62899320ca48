import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';

interface PageOrigins {
  /** The service, which a console at `consoleUrl` calls from there. */
  publicUrl?: string | undefined;
  consoleUrl?: string | undefined;
  /** Where the console's pages may send error reports, as an origin. */
  errorReportsTo: string | undefined;
  /** What they may load in hidden frames. */
  probePages: readonly string[];
}

/** Puts security headers on every answer that a request gets; returns them, for what answers before there is one. */
export function addSecurityHeaders(app: FastifyInstance, origins: PageOrigins): OutgoingHttpHeaders {
  const headers = securityHeaders(origins);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
  return headers;
}

/** What helmet says, once: to have it said again for each answer took longer than to answer most calls. */
function securityHeaders(origins: PageOrigins): OutgoingHttpHeaders {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  helmet(helmetOptions(origins))(request, response, (error) => {
    if (error) throw error;
  });
  return response.getHeaders();
}

const helmetOptions = ({
  publicUrl,
  consoleUrl,
  errorReportsTo,
  probePages,
}: PageOrigins): HelmetOptions => ({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      'default-src': ["'self'"],
      'script-src': ["'self'"],
      'worker-src': ["'self'"],
      // Mantine writes responsive styles into style elements and attributes.
      'style-src': ["'self'", "'unsafe-inline'"],
      'connect-src': [
        "'self'",
        ...(publicUrl === undefined || consoleUrl === undefined ? [] : [new URL(publicUrl).origin]),
        ...(errorReportsTo === undefined ? [] : [errorReportsTo]),
      ],
      // Notes' pictures may be anywhere on the web.
      'img-src': ["'self'", 'data:', 'https:'],
      // The frames of the connectivity probe: `object` elements, to which browsers apply both.
      'object-src': [...probePages],
      'frame-src': [...probePages],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
  // The service speaks plain HTTP; the proxy that adds TLS knows whether to promise it for ever.
  strictTransportSecurity: false,
});

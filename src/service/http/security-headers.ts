import { IncomingMessage, ServerResponse, type OutgoingHttpHeaders } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import helmet, { type HelmetOptions } from 'helmet';

interface PageOrigins {
  /** The service's address, which a console at `consoleUrl` calls. */
  publicUrl?: string | undefined;
  consoleUrl?: string | undefined;
  /** The origin to which the console's pages may send error reports. */
  errorReportsTo: string | undefined;
  /** The pages that it may load in hidden frames. */
  probePages: readonly string[];
}

/** Adds security headers to every answer to a request. */
export function addSecurityHeaders(http: FastifyInstance, origins: PageOrigins): void {
  const headers = securityHeaders(origins);
  http.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}

/** Computed by helmet once: doing it for each answer took longer than answering most calls. */
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
      // Images in notes may be anywhere on the web.
      'img-src': ["'self'", 'data:', 'https:'],
      // The frames of the connectivity probe are `object` elements, to which browsers apply both directives.
      'object-src': [...probePages],
      'frame-src': [...probePages],
      'base-uri': ["'none'"],
      'form-action': ["'self'"],
      'frame-ancestors': ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
  referrerPolicy: { policy: 'no-referrer' },
  // The service speaks plain HTTP; the proxy that adds TLS decides whether to promise it for the future.
  strictTransportSecurity: false,
});

/**
 * What helmet puts on every answer. `publicUrl`: the service, which a console at `consoleUrl` calls from there;
 * `errorReportsTo`: where the console's pages may send error reports, as an origin; `probePages`: what they may load in
 * hidden frames.
 */
export const securityHeaders = ({
  publicUrl,
  consoleUrl,
  errorReportsTo,
  probePages,
}: {
  publicUrl?: string | undefined;
  consoleUrl?: string | undefined;
  errorReportsTo: string | undefined;
  probePages: readonly string[];
}) =>
  ({
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
  }) as const;

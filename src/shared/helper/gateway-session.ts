import * as z from 'zod/mini';
import { gatewayAgent } from '../gateway-user-agent.ts';

/** `pin-sha256:` and the base64 SHA-256 of the public key's SubjectPublicKeyInfo, as openconnect prints it. */
export const certificatePin = z.string().check(z.regex(/^pin-sha256:[A-Za-z0-9+/]{43}=$/));

/**
 * The maximum lengths of a client certificate's parts. A certificate with a key of 16,384 bits has 6 kB, and importing
 * one keeps at most eight of its issuers.
 */
const maxChainChars = 64 * 1024;
const maxKeyChars = 16 * 1024;

/**
 * What proves the client's identity to a gateway: PEM, the chain beginning with the client's own certificate, and its
 * unencrypted key. It is neither logged nor recorded, and no program gets it as an argument.
 */
export const clientCertificate = z.strictObject({
  certificate: z
    .string()
    .check(
      z.maxLength(maxChainChars, { abort: true }),
      z.regex(/^(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\r\n]+-----END CERTIFICATE-----[\r\n]*){1,9}$/),
    ),
  key: z
    .string()
    .check(
      z.maxLength(maxKeyChars, { abort: true }),
      z.regex(/^-----BEGIN ((?:RSA |EC )?PRIVATE KEY)-----[A-Za-z0-9+/=\r\n]+-----END \1-----[\r\n]*$/),
    ),
});
export type ClientCertificate = z.infer<typeof clientCertificate>;

/** By CONNECT (RFC 9110 §9.3.6), in clear or inside TLS (`https`), or SOCKS 5 (RFC 1928). */
export const proxyProtocol = z.enum(['http', 'https', 'socks5']);
export type ProxyProtocol = z.infer<typeof proxyProtocol>;

export const maxRealmChars = 256;

/** In UTF-8, they fit into the 255 bytes of SOCKS 5 (RFC 1929); a colon would end the name in HTTP (RFC 7617 §2). */
export const proxyCredentials = z.strictObject({
  username: z.string().check(z.regex(/^[^\p{Cc}:]{1,63}$/u)),
  password: z.string().check(z.regex(/^\P{Cc}{1,63}$/u)),
  /**
   * The realm for which they were entered (RFC 9110 §11.5); absent: for any. A proxy that names another one does not
   * get them. Requires capability `proxy-realm`.
   */
  realm: z.optional(z.string().check(z.maxLength(maxRealmChars))),
});
export type ProxyCredentials = z.infer<typeof proxyCredentials>;

/** Who a proxy is that speaks TLS: by which name or address it was verified at the sign-in, and its key since then. */
export const proxyIdentity = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(253), z.regex(/^[\w.:-]+$/)),
  certificatePin,
});
export type ProxyIdentity = z.infer<typeof proxyIdentity>;

/** A gateway's certificate is part of its TLS session. */
export const maxTlsSessionChars = 12_000;

/** What the gateway returned at sign-in. The cookie's alphabet is cookie-octet of RFC 6265. */
export const gatewaySession = z.strictObject({
  cookie: z
    .string()
    .check(z.minLength(1), z.maxLength(4096), z.regex(/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/)),
  certificatePin,
  /**
   * What the sign-in presented; some gateways want it for the tunnel, too. Requires capability `client-certificate`.
   */
  clientCertificate: z.optional(clientCertificate),
  /** The name under which the sign-in succeeded; if absent, the usual one. Requires capability `gateway-agent`. */
  agent: z.optional(gatewayAgent),
  /**
   * The TLS session of the sign-in, whose gateway has proved to have the pinned key, in base64: resuming it saves a
   * round trip. Requires capability `tls-session`.
   */
  tlsSession: z.optional(
    z.string().check(z.minLength(1), z.maxLength(maxTlsSessionChars), z.regex(/^[A-Za-z0-9+/]+={0,2}$/)),
  ),
  /** For the proxy on the way, if it requires them. Requires capability `proxy`. */
  proxyCredentials: z.optional(proxyCredentials),
  /** Of a proxy whose protocol is `https`, and required there. Requires capability `proxy-tls`. */
  proxyIdentity: z.optional(proxyIdentity),
});
export type GatewaySession = z.infer<typeof gatewaySession>;

import type { Encryption } from '#shared/tunnel/state.ts';
import type { EngineTransport } from '../engine-port.ts';

/** How a transport is encrypted, as openconnect 8.20 to 9.12 announces it with GnuTLS or OpenSSL. */
const announcements = [
  [/^Connected to HTTPS on \S+ with ciphersuite (.*)$/, 'tls'],
  [/^Established DTLS connection \(using \w+\)\. Ciphersuite (.*)\.$/, 'dtls'],
] as const satisfies readonly (readonly [RegExp, EngineTransport])[];

const version = { tls: /\bTLSv?(1\.[0-3])\b/, dtls: /\bDTLSv?(0\.9|1\.[0-3])\b/ } as const;
/** GnuTLS writes `AES-256-GCM`, OpenSSL `AES256-GCM` or, since TLS 1.3, `AES_256_GCM`. */
const aes = /\bAES-?(128|192|256)-(GCM|CCM|CBC)\b/;
const chaCha = /\bCHACHA20-POLY1305\b/;

/**
 * What a line says about the tunnel's encryption; undefined if nothing. The result consists of our own words, whatever
 * a gateway has put into the line.
 */
export function readEncryption(
  line: string,
): { transport: EngineTransport; encryption: Encryption } | undefined {
  for (const [pattern, transport] of announcements) {
    const suite = pattern.exec(line)?.[1];
    if (suite === undefined) continue;
    const number = version[transport].exec(suite)?.[1];
    // An underscore is not a word boundary.
    const cipher = cipherIn(suite.replaceAll('_', '-'));
    if (number === undefined || cipher === undefined) return undefined;
    return {
      transport,
      encryption: { protocol: `${transport === 'tls' ? 'TLS' : 'DTLS'} ${number}`, cipher },
    };
  }
  return undefined;
}

function cipherIn(suite: string): string | undefined {
  const [, bits, mode] = aes.exec(suite) ?? [];
  if (bits !== undefined && mode !== undefined) return `AES-${bits}-${mode}`;
  return chaCha.test(suite) ? 'CHACHA20-POLY1305' : undefined;
}

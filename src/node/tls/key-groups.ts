import tls from 'node:tls';

/**
 * The groups for the exchange of keys that TLS's first message names, in the notation of `ecdhCurve`; `*` marks those
 * of which it carries a share. Node's own have none of P-256, and a server that prefers that asks for a second message
 * then (RFC 8446 §4.1.4), which costs a round trip: ocserv does, with Debian's `%SERVER_PRECEDENCE` (tutanota's issue
 * 11405).
 */
const notations = {
  /** OpenSSL 3.5's own (SSL_CTX_set1_groups_list(3)), and the share. */
  large: '?*X25519MLKEM768/?*X25519:?*secp256r1/?X448:?secp384r1:?secp521r1/?ffdhe2048:?ffdhe3072',
  /** Without the post-quantum share. */
  small: '*X25519:*P-256:P-384:P-521',
} as const;

/** What is left of them where a library knows no `*`, as BoringSSL and earlier OpenSSL; undefined: its own. */
const plain = { large: undefined, small: 'X25519:P-256:P-384:P-521' } as const;

let known: Record<keyof typeof notations, string | undefined> | undefined;

export function keyGroups(): Record<keyof typeof notations, string | undefined> {
  known ??= Object.values(notations).every(isUnderstood) ? notations : plain;
  return known;
}

function isUnderstood(ecdhCurve: string): boolean {
  try {
    tls.createSecureContext({ ecdhCurve });
    return true;
  } catch {
    return false;
  }
}

/** What a line of openconnect's output means; undefined if it does not matter here. */
export type EngineEvent =
  | 'refused'
  | 'no-route'
  | 'secured'
  | 'certificate-refused'
  | 'tls-failed'
  | 'tls-outdated'
  | 'unsafe-renegotiation'
  | 'handshake-alert'
  | 'alert'
  | 'unusable-certificate'
  | 'unconfigurable'
  | 'unavailable'
  | 'route-discarded'
  | 'dtls'
  | 'tls'
  | 'lost';

/**
 * Messages of openconnect 8.20 to 9.12 in the C locale. A gateway can put text of its own into the output; at worst, it
 * ends its own tunnel with that.
 */
const patterns: readonly (readonly [RegExp, EngineEvent])[] = [
  [/^Failed to connect to \S+: Connection refused$/, 'refused'],
  [
    /^Failed to connect to \S+: (?:No route to host|Network is unreachable|Host is down|Network is down)$/,
    'no-route',
  ],
  [/^Connected to HTTPS on /, 'secured'],
  [/fingerprint\(s\) specified via --servercert match server's certificate/, 'certificate-refused'],
  // The shell cannot be started: from about 3,000 pushed routes on, openconnect's list of what the gateway sent
  // (CISCO_CSTP_OPTIONS) is longer than a variable may be (execve(2), MAX_ARG_STRLEN).
  [/' returned error 127$/, 'unconfigurable'],
  // A network whose mask has gaps; the script does not get it.
  [/^Discard bad split include: /, 'route-discarded'],
  // With TLS 1.3, a client that gives no certificate or the wrong one is told so after the handshake, otherwise in it,
  // where other things may be wrong as well.
  [/^Failed to read from TLS\/DTLS socket: A TLS fatal alert has been received/, 'alert'],
  [/^SSL connection failure: A TLS fatal alert has been received/, 'handshake-alert'],
  // GnuTLS's words for what the gateway said; those for an end without a word and for silence are left out.
  [
    /^SSL connection failure: (?:Safe renegotiation failed|Unsafe renegotiation denied)/,
    'unsafe-renegotiation',
  ],
  [
    /^SSL connection failure: (?:A packet with illegal or unsupported version|The Diffie-Hellman prime|Insufficient security)/,
    'tls-outdated',
  ],
  [
    /^SSL connection failure: (?!Error in the |The operation timed out|The TLS connection was non-properly)/,
    'tls-failed',
  ],
  // Status 503 in place of a tunnel.
  [/^VPN service unavailable; reason: /, 'unavailable'],
  [/^Loading certificate failed\. Aborting/, 'unusable-certificate'],
  [/^Established DTLS connection /, 'dtls'],
  [/^DTLS Dead Peer Detection detected dead peer/, 'tls'],
  [/^CSTP Dead Peer Detection detected dead peer/, 'lost'],
  [/^Failed to (?:read from|write to) TLS\/DTLS socket/, 'lost'],
  // The gateway has closed the connection.
  [/^(?:Read|Write) error on SSL session: /, 'lost'],
  // It reconnected by itself for new keys. It would end as if the session had been refused, although that is still
  // valid.
  [/^Reconnect gave different /, 'lost'],
];

/**
 * What the gateway says as it ends the tunnel, or refuses one with status 503; undefined if the line is another one. In
 * the first of these, openconnect prints a dot for each byte that is not printed in the C locale (cstp.c,
 * cstp_mainloop), and in the other a question mark for each such character. A long line has been cut.
 */
export function readGoodbye(line: string): string | undefined {
  const [, ended] = /^Received server disconnect: [\da-f]{2} '(.*?)'?$/.exec(line) ?? [];
  const [, refused] = /^VPN service unavailable; reason: (?!<unknown>$)(.*)$/.exec(line) ?? [];
  return ended ?? refused;
}

export function readEngineLine(line: string): EngineEvent | undefined {
  return patterns.find(([pattern]) => pattern.test(line))?.[1];
}

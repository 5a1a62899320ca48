/** The options of a call of openconnect that concern signing in, and the rest of its command line. */
export interface OpenconnectCall {
  /** Where to sign in, as it was written. */
  server: string | undefined;
  user: string | undefined;
  group: string | undefined;
  isPasswordOnInput: boolean;
  /** `--servercert`, in any of openconnect's notations. */
  fingerprints: string[];
  /** `--resolve`: addresses by name. */
  resolved: Map<string, string[]>;
  /** The name that TLS asks for, if it is not the server's. */
  serverName: string | undefined;
  certificate: string | undefined;
  key: string | undefined;
  keyPassword: string | undefined;
  /** What is done with the session. */
  then: 'connect' | 'print-cookie' | 'print-all';
  /** Nothing to sign in for: there is a cookie, or only a question about openconnect itself. */
  isAlreadySignedIn: boolean;
  /** The command line without what only concerns signing in, for openconnect with a session. */
  rest: string[];
}

/** openconnect(8): options that take a value, by their short names. */
const valued: Readonly<Record<string, string>> = {
  c: 'certificate',
  C: 'cookie',
  e: 'cert-expire-warning',
  F: 'form-entry',
  g: 'usergroup',
  i: 'interface',
  k: 'sslkey',
  m: 'mtu',
  p: 'key-password',
  P: 'proxy',
  Q: 'queue-len',
  s: 'script',
  u: 'user',
  U: 'setuid',
  x: 'xmlconfig',
};
const valuedLong = new Set(
  [
    ...Object.values(valued),
    'authgroup base-mtu cafile compression config csd-user csd-wrapper dtls-ciphers dtls-local-port dtls12-ciphers'.split(
      ' ',
    ),
    'external-browser force-dpd force-trojan gnutls-debug gnutls-priority http-auth local-hostname'.split(
      ' ',
    ),
    'mca-certificate mca-key mca-key-password openssl-ciphers os pid-file protocol proxy-auth'.split(' '),
    'reconnect-timeout resolve server servercert sni token-mode token-secret useragent version-string'.split(
      ' ',
    ),
  ].flat(),
);

/** Reads a command line as getopt_long(3) does. */
export function readCall(argv: readonly string[]): OpenconnectCall {
  const call: OpenconnectCall = {
    server: undefined,
    user: undefined,
    group: undefined,
    isPasswordOnInput: false,
    fingerprints: [],
    resolved: new Map(),
    serverName: undefined,
    certificate: undefined,
    key: undefined,
    keyPassword: undefined,
    then: 'connect',
    isAlreadySignedIn: false,
    rest: [],
  };
  const words = [...argv];
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (!word.startsWith('-') || word === '-') {
      call.server ??= word;
      call.rest.push(word);
    } else if (word.startsWith('--')) {
      const [name, inline] = split(word.slice(2), '=');
      const value = valuedLong.has(name) ? (inline ?? words.shift() ?? '') : undefined;
      if (!takeOption(call, name, value))
        call.rest.push(`--${name}`, ...(value === undefined ? [] : [value]));
    } else takeShort(call, word.slice(1), words);
  }
  return call;
}

/** Short options may stand together, the last one with its value. */
function takeShort(call: OpenconnectCall, letters: string, words: string[]): void {
  const [letter = ''] = letters;
  const name = valued[letter];
  if (name === undefined) {
    if (letter === 'h' || letter === 'V') call.isAlreadySignedIn = true;
    call.rest.push(`-${letter}`);
    if (letters.length > 1) takeShort(call, letters.slice(1), words);
    return;
  }
  const value = letters.slice(1) || (words.shift() ?? '');
  if (!takeOption(call, name, value)) call.rest.push(`-${letter}`, value);
}

/** Whether the option is not for openconnect with a session. */
function takeOption(call: OpenconnectCall, name: string, value = ''): boolean {
  switch (name) {
    case 'user':
      call.user = value;
      return true;
    case 'authgroup':
      call.group = value;
      return true;
    case 'passwd-on-stdin':
      call.isPasswordOnInput = true;
      return true;
    case 'cookieonly':
      call.then = 'print-cookie';
      return true;
    case 'authenticate':
      call.then = 'print-all';
      return true;
    case 'servercert':
      call.fingerprints.push(value);
      return false;
    case 'resolve': {
      const [host, address = ''] = split(value, ':');
      call.resolved.set(host, [...(call.resolved.get(host) ?? []), address]);
      return false;
    }
    case 'sni':
      call.serverName = value;
      return false;
    case 'certificate':
      call.certificate = value;
      return false;
    case 'sslkey':
      call.key = value;
      return false;
    case 'key-password':
      call.keyPassword = value;
      return false;
    case 'cookie':
    case 'cookie-on-stdin':
    case 'version':
    case 'help':
      call.isAlreadySignedIn = true;
      return false;
    default:
      return false;
  }
}

function split(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

import { scrubText } from './report-scrubbing.ts';

/**
 * What a line of the app's logs may hold, on disk and in problem reports: the only place that decides it (the service
 * leaves fields out of its own, see src/service/log.ts). It is stricter than `scrubText`, which has to leave the
 * identifiers of Sentry's reports alone.
 */

const scrubbed = '[scrubbed]';

/** Codes for terminals (ECMA-48): control sequences, and strings such as titles; as they are, and as JSON has them. */
const escape = String.raw`(?:\u001b|\\{1,8}u001b)`;
const bell = String.raw`(?:\u0007|\\{1,8}u0007)`;
const codes = [
  new RegExp(
    String.raw`(?:${escape}[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\n]{0,2000}?(?:${bell}|${escape}\\|\u009c)`,
    'g',
  ),
  new RegExp(String.raw`(?:${escape}\[|\u009b|\\{1,8}u009b)[0-?]*[ -/]*[@-~]`, 'g'),
  new RegExp(String.raw`${escape}[ -/]*[0-~]?`, 'g'),
  // What is left of control characters, and marks that change the reading order (UAX #9).
  /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
];

/** A separator of a path, also percent-encoded, however often. */
const slash = String.raw`(?:\/|%(?:25)*2f)`;
const backslash = String.raw`(?:\\{1,4}|%(?:25)*5c)`;
const colon = '(?::|%(?:25)*3a)';
const folderName = String.raw`(?:(?!%(?:25)*(?:2f|5c|3a|20|22))[^/\\\s"':&?#<>])+`;

/** A folder on Windows, where something follows that tells its end. */
const nameWithBlanks = String.raw`[^\\/\n"':<>%]{1,64}(?=\\)`;

/** Between a name and its value: `=` or `:`, perhaps in (escaped) quotes. */
const equals = String.raw`["'\\]{0,4}\s{0,2}(?:=|:|%(?:25)*3d)\s{0,2}["'\\]{0,4}`;
const value = String.raw`[^\s"'\\;&,<>]+`;
const secretName = String.raw`(?:webvpn\w*|[\w-]*cookie\d?|acSamlv2Token|svpncookie|dsid|[\w-]*(?:token|secret)|(?:session|secondary|access|refresh|id|device)[-_]?password|passw(?:or)?d|pwd|passphrase|(?:api|secret|private)[-_]?key|SAML(?:Request|Response)|licen[cs]e[-_ ]?keys?)`;

const patterns: readonly [RegExp, string][] = [
  // A header has several, and their attributes.
  [/\b((?:set-)?cookie2?["'\\]{0,4}:\s*)[^\r\n"\\]+/gi, `$1${scrubbed}`],
  // Whatever the scheme is (RFC 9110 §11.4): Negotiate, Digest.
  [
    /\b((?:proxy-)?authorization["'\\]{0,4}:\s*["'\\]{0,4})(?:=\\{0,4}"[^"\r\n]*"|[^\r\n"\\])+/gi,
    `$1${scrubbed}`,
  ],
  [
    new RegExp(String.raw`(?<![\w-])(licen[cs]e[-_ ]?keys?${equals})[\w-]+(?: [A-Z\d]{4,5}(?![\w-]))*`, 'gi'),
    `$1${scrubbed}`,
  ],
  [new RegExp(String.raw`(?<![\w-])(${secretName}${equals})${value}`, 'gi'), `$1${scrubbed}`],
  // Who an address names, and by which password (RFC 3986 §3.2.1).
  [/(\b[a-z][a-z\d+.-]{1,15}:\/\/)[^\s/"'@]+@/gi, `$1${scrubbed}@`],
  // A signed token (RFC 7519): its two first parts are JSON.
  [/(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g, scrubbed],
  // What a gateway's XML says, such as <session-token>.
  [/(<(?:[\w-]*(?:token|password|cookie|secret|session-id))(?:\s[^<>]*)?>)[^<]+/gi, `$1${scrubbed}`],
  [/(license-keys(?:\/|%(?:25)*2f))(?:(?!%(?:25)*2f)[^/\s"'?&])+/gi, `$1${scrubbed}`],
  [/\b(licen[cs]e key )(?=[\w-]*[\dA-Z-])[\w-]{4,}/gi, `$1${scrubbed}`],
  // License keys as they are usually made: groups of the same length, with a digit.
  [
    /(?<![\w-])(?=[A-Z-]*\d)(?:[A-Z\d]{4}(?:-[A-Z\d]{4}){2,}|[A-Z\d]{5}(?:-[A-Z\d]{5}){2,})(?![\w-])/g,
    scrubbed,
  ],
  // Device ids, however their groups are separated, and what stands before them percent-encoded.
  [
    /(?:(?<![\da-z])|(?<=%(?:25)*[\da-f]{2}))[\da-f]{8}(?:(?:[-_ ]|%2d)?[\da-f]{4}){3}(?:[-_ ]|%2d)?[\da-f]{12}(?![\da-z])/gi,
    scrubbed,
  ],
  [new RegExp(String.raw`(${slash}(?:home|Users|media)${slash})${folderName}`, 'gi'), '$1[user]'],
  [
    new RegExp(
      String.raw`(\b[A-Z]${colon}${backslash}Users${backslash})(?:${nameWithBlanks}|${folderName})`,
      'gi',
    ),
    '$1[user]',
  ],
];

/** A text without codes for terminals and other characters that have no glyph, but for line ends and tabs. */
export const withoutCodes = (text: string): string =>
  codes.reduce((result, pattern) => result.replace(pattern, ''), text);

/** A line of a log, or several, without secrets. */
export function scrubLog(text: string): string {
  // First: a code could be in the middle of a secret.
  const plain = withoutCodes(text);
  return scrubText(patterns.reduce((result, [pattern, instead]) => result.replace(pattern, instead), plain));
}

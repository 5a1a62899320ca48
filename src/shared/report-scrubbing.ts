/**
 * Error reports contain neither secrets nor names of people. A library decides what is in a report, so the whole report
 * is searched, and whatever looks like a secret is removed.
 */

const scrubbed = '[scrubbed]';

/** Names of values that are never sent, in any spelling. */
const secretNames =
  /^(?:.*[-_.])?(?:token|secret|password|authorization|cookies?|webvpn|passphrase|licen[cs]e[-_]?keys?|auth[-_]?code|auth[-_]?id|email|login[-_]?id|device[-_]?id|order[-_]?id)$|(?:Token|Secret|Password|Cookies?|Email|LicenseKeys?)$/i;

const patterns: readonly [RegExp, string][] = [
  // Email addresses, also as part of a URL. Begun only where a word begins: elsewhere, long words would take long.
  [/(?<![\w.+%-])[\w.+%-]+(?:@|%(?:25)*40)(?:[\w-]+\.)+[a-z]{2,}/gi, scrubbed],
  [/([?&#](?:token|email|authId|authCode|deviceId|orderId|order_id|next)=)[^&\s"'#]+/gi, `$1${scrubbed}`],
  [/\b(Basic|Bearer)\s+[\w+/=.~-]+/gi, `$1 ${scrubbed}`],
  [/(\/license-keys\/)[^/\s"'?]+/g, `$1${scrubbed}`],
  // Device ids, which are user names at gateways.
  [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/gi, scrubbed],
  // Device tokens have 43 characters; identifiers of reports and traces have 32.
  [/(?<![\w-])[\w-]{40,}(?![\w-])/g, scrubbed],
  // Sign-in codes.
  [/(?<![\w.#])\d{6}(?![\w.])/g, scrubbed],
];

export function scrubText(text: string): string {
  return patterns.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text);
}

/** A copy of JSON-like data with all of its texts scrubbed, including property names. */
export function scrubData(data: unknown): unknown {
  if (typeof data === 'string') return scrubText(data);
  if (Array.isArray(data)) return data.map(scrubData);
  if (typeof data !== 'object' || data === null) return data;
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      scrubText(name),
      secretNames.test(name) && value !== null && value !== undefined ? scrubbed : scrubData(value),
    ]),
  );
}

type Item = readonly [header: { readonly type: string; readonly length?: number }, payload: unknown];
/** `dsn` says where the report goes, and looks like an email address. */
type Report = readonly [header: { readonly dsn?: string }, items: readonly Item[]];

/**
 * A scrubbed Sentry envelope: one header, and items with a header and a payload each. Payloads that cannot be searched
 * (compressed data, attachments) are left out. https://develop.sentry.dev/sdk/data-model/envelopes/
 */
export function scrubEnvelope([{ dsn, ...header }, items]: Report): Report {
  const scrubbedHeader = scrubData(header) as object;
  return [dsn === undefined ? scrubbedHeader : { ...scrubbedHeader, dsn }, items.flatMap(scrubItem)];
}

function scrubItem([header, payload]: Item): Item[] {
  if (header.type === 'attachment' || payload instanceof Uint8Array) return [];
  if (header.type !== 'replay_recording') return [[header, scrubData(payload)]];
  const recording = typeof payload === 'string' ? scrubRecording(payload) : undefined;
  if (recording === undefined) return [];
  return [[{ ...header, length: recording.length }, recording]];
}

/** A line of JSON about the segment, followed by the recording as JSON; in ASCII, one byte for each character. */
function scrubRecording(recording: string): string | undefined {
  try {
    return recording
      .split('\n')
      .map((line) => asciiJson(scrubData(JSON.parse(line))))
      .join('\n');
  } catch {
    return undefined;
  }
}

const asciiJson = (data: unknown) =>
  JSON.stringify(data).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

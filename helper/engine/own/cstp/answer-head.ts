/** The head of a gateway's answer to CONNECT, in the notation of HTTP/1.1 (RFC 9112). */
export interface AnswerHead {
  status: number;
  reason: string;
  /** Values by lower-case name, in the order in which they came. */
  headers: ReadonlyMap<string, readonly string[]>;
}

/**
 * Some gateways push 2,500 routes of each IP version, in some 50 bytes each, and a document of XML. Longer heads are
 * refused.
 */
export const maxHeadBytes = 512 * 1024;
const maxHeaders = 16_000;

export type HeadRead =
  | { kind: 'incomplete' }
  | { kind: 'refused'; why: 'too long' | 'not HTTP' | 'too many headers' }
  /** `rest`: the bytes after it. */
  | { kind: 'complete'; head: AnswerHead; rest: Buffer };

/** How lines end. A first line that ends with LF alone says that all of them do (RFC 9112 §2.2). */
const lineEnds = ['\r\n', '\n'] as const;
type LineEnd = (typeof lineEnds)[number];

/** More pieces than these are joined: each has a price of its own in memory, however small it is. */
const maxPieces = 512;

/** Reads one head that arrives in pieces; each call gives what is known with these bytes. */
export function createHeadReader(): (bytes: Buffer) => HeadRead {
  let pieces: Buffer[] = [];
  let length = 0;
  let lineEnd: LineEnd | undefined;
  /** The last bytes of what came before, in which the end may have begun. */
  let tail: Buffer = Buffer.alloc(0);
  return (bytes) => {
    const seen = Buffer.concat([tail, bytes]);
    lineEnd ??= lineEndIn(seen);
    const endOfHead = lineEnd && `${lineEnd}${lineEnd}`;
    const end = endOfHead === undefined ? -1 : seen.indexOf(endOfHead);
    const headLength = end === -1 ? length + bytes.length : length - tail.length + end;
    if (headLength > maxHeadBytes) return { kind: 'refused', why: 'too long' };
    pieces.push(bytes);
    if (pieces.length > maxPieces) pieces = [Buffer.concat(pieces)];
    length += bytes.length;
    if (end === -1 || lineEnd === undefined || endOfHead === undefined) {
      tail = Buffer.from(seen.subarray(-longestEnd));
      return { kind: 'incomplete' };
    }
    const all = Buffer.concat(pieces);
    pieces = [];
    const head = parseHead(all.subarray(0, headLength).toString('latin1').split(lineEnd));
    return typeof head === 'string'
      ? { kind: 'refused', why: head }
      : { kind: 'complete', head, rest: all.subarray(headLength + endOfHead.length) };
  };
}

const longestEnd = 2 * lineEnds[0].length - 1;

function lineEndIn(bytes: Buffer): LineEnd | undefined {
  const end = bytes.indexOf('\n');
  if (end === -1) return undefined;
  return end > 0 && bytes[end - 1] === '\r'.charCodeAt(0) ? '\r\n' : '\n';
}

function parseHead([first = '', ...lines]: string[]): AnswerHead | 'not HTTP' | 'too many headers' {
  const [, status, reason = ''] = /^HTTP\/1\.\d (\d{3})(?: (.*))?$/.exec(first) ?? [];
  if (status === undefined) return 'not HTTP';
  if (lines.length > maxHeaders) return 'too many headers';
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    // A line that is no header says nothing, whatever it says.
    const [, name, value] = /^([A-Za-z0-9-]{1,64}):[ \t]*(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const key = name.toLowerCase();
    const values = headers.get(key);
    if (values) values.push(value.trimEnd());
    else headers.set(key, [value.trimEnd()]);
  }
  return { status: Number(status), reason, headers };
}

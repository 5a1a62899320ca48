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

const endOfHead = Buffer.from('\r\n\r\n');

/** Reads one head that arrives in pieces; each call gives what is known with these bytes. */
export function createHeadReader(): (bytes: Buffer) => HeadRead {
  let pieces: Buffer[] = [];
  let length = 0;
  /** The last bytes of what came before, in which the end may have begun. */
  let tail: Buffer = Buffer.alloc(0);
  return (bytes) => {
    const seen = Buffer.concat([tail, bytes]);
    const end = seen.indexOf(endOfHead);
    const headLength = end === -1 ? length + bytes.length : length - tail.length + end;
    if (headLength > maxHeadBytes) return { kind: 'refused', why: 'too long' };
    pieces.push(bytes);
    length += bytes.length;
    if (end === -1) {
      tail = Buffer.from(seen.subarray(-(endOfHead.length - 1)));
      return { kind: 'incomplete' };
    }
    const all = Buffer.concat(pieces);
    pieces = [];
    const head = parseHead(all.subarray(0, headLength).toString('latin1'));
    return typeof head === 'string'
      ? { kind: 'refused', why: head }
      : { kind: 'complete', head, rest: all.subarray(headLength + endOfHead.length) };
  };
}

function parseHead(text: string): AnswerHead | 'not HTTP' | 'too many headers' {
  const [first = '', ...lines] = text.split('\r\n');
  const [, status, reason = ''] = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(first) ?? [];
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

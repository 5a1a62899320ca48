import type { Socket } from 'node:net';

/** A proxy's final answer to CONNECT. */
export interface ConnectAnswer {
  status: number;
  /** The values of the fields with this name, in lower case, joined with commas. */
  field: (name: string) => string;
  /** What came after the head. */
  rest: Buffer;
}

/**
 * Reads the answer as clients have to take it, which Node's parser does not: lines may end with LF alone (RFC 9112
 * §2.2), interim answers come before the final one (RFC 9110 §15.2), and fields that say how long a body is mean
 * nothing (§9.3.6). Afterwards, the connection can be read by others. Rejects if it ends before, if what comes is no
 * answer of HTTP/1, or if it is longer than `maxBytes`.
 */
export function readConnectAnswer(transport: Socket, maxBytes: number): Promise<ConnectAnswer> {
  return new Promise((resolve, reject) => {
    /** What has come since the last interim answer. */
    let read: Buffer = Buffer.alloc(0);
    let size = 0;
    let interim = 0;
    const settle = (settled: () => void) => {
      transport.off('readable', look).off('end', ended).off('error', reject).off('close', ended);
      settled();
    };
    const ended = () => settle(() => reject(new Error('the connection ended before an answer')));
    const look = () => {
      for (let chunk = readFrom(transport); chunk; chunk = readFrom(transport)) {
        read = Buffer.concat([read, chunk]);
        size += chunk.length;
        if (size > maxBytes) return settle(() => reject(new Error('the answer is too long')));
        for (let answer = parseAnswer(read); answer; answer = parseAnswer(read)) {
          const parsed = answer;
          if (parsed instanceof Error) return settle(() => reject(parsed));
          if (!isInterim(parsed)) return settle(() => resolve(parsed));
          // Each of them is read once, however small the pieces in which the others come.
          read = parsed.rest;
          interim += 1;
          if (interim > maxInterim)
            return settle(() => reject(new Error('it is at work, and says nothing else')));
        }
      }
    };
    transport.on('readable', look).on('end', ended).on('error', reject).on('close', ended);
  });
}

/** More of them mean nothing. */
const maxInterim = 16;
const isInterim = ({ status }: ConnectAnswer) => status < 200 && status !== 101;

const readFrom = (transport: Socket) => transport.read() as Buffer | null;

/** The first answer in these bytes; undefined if more has to come. */
function parseAnswer(bytes: Buffer): ConnectAnswer | Error | undefined {
  const text = bytes.toString('latin1');
  const begins = text.slice(0, 'HTTP/1.'.length);
  if (!'HTTP/1.'.startsWith(begins)) return new Error('this is no answer of HTTP/1');
  const end = /\r?\n\r?\n/.exec(text);
  if (!end) return undefined;
  const [first = '', ...lines] = text.slice(0, end.index).split(/\r?\n/);
  const status = Number(/^HTTP\/1\.\d (\d{3})(?: |$)/.exec(first)?.[1]);
  if (Number.isNaN(status)) return new Error('the answer has no status');
  const rest = bytes.subarray(end.index + end[0].length);
  const field = (name: string) =>
    lines
      .flatMap((line) => (nameIn(line) === name ? [line.slice(line.indexOf(':') + 1).trim()] : []))
      .join(', ');
  return { status, field, rest };
}

const nameIn = (line: string) => line.split(':', 1).join('').trim().toLowerCase();

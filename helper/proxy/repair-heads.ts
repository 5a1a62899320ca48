import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/**
 * The connection to a server, with the heads of its responses as Node's parser takes them: without whitespace between a
 * field's name and the colon, which a proxy has to remove (RFC 9112 §5.1), and with CRLF where a line ends with LF
 * alone (§2.2). Nothing else is changed; what is malformed in other ways is for the parser to refuse. A line that is
 * longer than `maxHeadBytes` is passed on as it is.
 */
export function repairHeads(socket: Socket, maxHeadBytes: number): Duplex {
  const repair = createHeadRepair(maxHeadBytes);
  const repaired = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _encoding, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  const pass = (bytes: Buffer) => {
    if (bytes.length > 0 && !repaired.push(bytes)) socket.pause();
  };
  socket.on('data', (chunk: Buffer) => pass(repair.next(chunk)));
  socket.on('end', () => {
    pass(repair.rest());
    repaired.push(null);
  });
  socket.on('error', (error) => void repaired.destroy(error));
  // After the end, what has come is still being read.
  socket.on('close', () => {
    if (!socket.readableEnded) repaired.destroy();
  });
  return repaired;
}

const lineFeed = 0x0a;
const nothing = Buffer.alloc(0);

function createHeadRepair(maxHeadBytes: number) {
  let part: 'status line' | 'fields' | 'body' = 'status line';
  /** Whether another head follows this one (RFC 9110 §15.2). */
  let isInterim = false;
  /** The beginning of a line, as it came: joining it with every byte that comes would take long. */
  let begun: Buffer[] = [];
  let begunBytes = 0;

  function repairLine(text: string): string {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (part === 'status line') {
      const [, status] = /^HTTP\/\d\.\d (\d{3})\b/.exec(line) ?? [];
      part = status === undefined ? 'body' : 'fields';
      isInterim = status?.startsWith('1') === true && status !== '101';
      return status === undefined ? `${text}\n` : `${line}\r\n`;
    }
    if (line === '') part = isInterim ? 'status line' : 'body';
    return `${line.replace(/^([\w!#$%&'*+.^`|~-]+)[ \t]+:/, '$1:')}\r\n`;
  }

  return {
    /** What is to be passed on after these bytes have come. */
    next(chunk: Buffer): Buffer {
      if (part === 'body') return chunk;
      begunBytes += chunk.length;
      begun.push(chunk);
      if (!chunk.includes(lineFeed) && begunBytes <= maxHeadBytes) return nothing;
      let bytes = Buffer.concat(begun);
      const lines: string[] = [];
      for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed)) {
        lines.push(repairLine(bytes.toString('latin1', 0, end)));
        bytes = bytes.subarray(end + 1);
        // Assigned by `repairLine`, which TypeScript does not see.
        if ((part as string) === 'body') break;
      }
      if (bytes.length > maxHeadBytes) part = 'body';
      const isHead = (part as string) !== 'body';
      begun = isHead ? [bytes] : [];
      begunBytes = isHead ? bytes.length : 0;
      return Buffer.concat([Buffer.from(lines.join(''), 'latin1'), isHead ? nothing : bytes]);
    },
    rest: (): Buffer => Buffer.concat(begun),
  };
}

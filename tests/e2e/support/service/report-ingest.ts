import { once } from 'node:events';
import { createServer } from 'node:http';
import { gunzipSync } from 'node:zlib';

/** One thing that was reported: its kind, and what was sent of it. */
export interface ReportedItem {
  readonly type: string;
  readonly payload: string;
}

/** A local end of error reports that takes them like Sentry does. */
export interface ReportIngest {
  /** Address to report to. */
  readonly dsn: string;
  /** Everything that has come, as it was on the way (but decompressed). */
  received(): string;
  items(type: string): ReportedItem[];
  /** Begins again, as if nothing had come. */
  forget(): void;
}

export async function startReportIngest(): Promise<ReportIngest & AsyncDisposable> {
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      if (request.method === 'POST') {
        bodies.push(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body);
      }
      response.writeHead(200, {
        'access-control-allow-origin': '*',
        'access-control-allow-headers': '*',
        'content-type': 'application/json',
      });
      response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port to report to');
  return {
    dsn: `http://publickey@127.0.0.1:${address.port}/1`,
    received: () => Buffer.concat(bodies).toString(),
    items: (type) => bodies.flatMap(readItems).filter((item) => item.type === type),
    forget: () => void bodies.splice(0),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * A line for the envelope, then a header line and a payload for each item, which ends at its length or at the
 * line's end. https://develop.sentry.dev/sdk/data-model/envelopes/
 */
function readItems(envelope: Buffer): ReportedItem[] {
  const items: ReportedItem[] = [];
  let at = envelope.indexOf('\n') + 1;
  while (at > 0 && at < envelope.length) {
    const headerEnd = envelope.indexOf('\n', at);
    const header = JSON.parse(envelope.subarray(at, headerEnd).toString()) as {
      type: string;
      length?: number;
    };
    const lineEnd = envelope.indexOf('\n', headerEnd + 1);
    const whole = lineEnd === -1 ? envelope.length : lineEnd;
    const end = header.length === undefined ? whole : headerEnd + 1 + header.length;
    items.push({ type: header.type, payload: envelope.subarray(headerEnd + 1, end).toString() });
    at = end + 1;
  }
  return items;
}

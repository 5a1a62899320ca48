import type { TLSSocket } from 'node:tls';

/** What answers the requests of a connection, one after the other. */
export interface RequestListener {
  /** The whole answer to a request that is no CONNECT. */
  answer(head: string, body: string): string;
  /** The connection has become a tunnel: what comes from now on is no request. */
  onConnect(head: string): void;
}

const maxHeadBytes = 16 * 1024;
const maxBodyBytes = 64 * 1024;

/** Reads HTTP/1.1 requests as clients of AnyConnect's gateways send them, until one is a CONNECT. */
export function takeRequests(socket: TLSSocket, listener: RequestListener): void {
  let received: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) {
      if (received.length > maxHeadBytes) socket.destroy();
      return;
    }
    const head = received.toString('latin1', 0, end);
    if (head.startsWith('CONNECT ')) {
      socket.off('data', onData);
      return listener.onConnect(head);
    }
    const length = Number(/^content-length:\s*(\d{1,6})\s*$/im.exec(head)?.[1] ?? 0);
    if (length > maxBodyBytes) return void socket.destroy();
    const next = end + 4 + length;
    if (received.length < next) return;
    const body = received.toString('utf8', end + 4, next);
    received = received.subarray(next);
    socket.write(listener.answer(head, body));
  };
  socket.on('data', onData);
}

/** An answer with a document, and a session's cookie, if there is one. */
export function documentAnswer(xml: string, token: string | undefined): string {
  const lines = [
    'HTTP/1.1 200 OK',
    'Content-Type: text/xml; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(xml)}`,
    ...(token === undefined ? [] : [`Set-Cookie: webvpn=${token}; Secure`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${xml}`;
}

export const notFound = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';
export const unauthorized = 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n';

/** The session's cookie in a request. */
export const tokenIn = (head: string): string => /^cookie:.*?\bwebvpn=([\w-]+)/im.exec(head)?.[1] ?? '';

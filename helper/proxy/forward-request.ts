import { request as startRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { dropsLength, endToEndFields } from './hop-by-hop.ts';
import { repairHeads } from './repair-heads.ts';
import { refuseRequest } from './http-refusal.ts';

/** Servers send larger heads than clients; this is as much as browsers accept. */
const responseHeadBytes = 256 * 1024;

/** The parts of a target in absolute form (RFC 9112 §3.2.2). */
export interface AbsoluteTarget {
  authority: string;
  /** Path and query exactly as they came: a proxy must not change them (RFC 9110 §7.7). */
  path: string;
}

/** Undefined if it is not in absolute form or not plain HTTP; https uses CONNECT. */
export function readAbsoluteTarget(target: string, method: string): AbsoluteTarget | undefined {
  const [, authority, rest = ''] = /^http:\/\/([^/?#]*)([^#]*)/i.exec(target) ?? [];
  if (authority === undefined) return undefined;
  // RFC 9112 §3.2.4: an OPTIONS request without a path is about the server as a whole.
  if (rest === '' && method === 'OPTIONS') return { authority, path: '*' };
  return { authority, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/**
 * Forwards a client's request to the server that `socket` is connected to, and returns the server's response. There is
 * no Via field, because it would tell every server that its visitor uses this program.
 */
export function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  { authority, path }: AbsoluteTarget,
  socket: Socket,
): void {
  if (response.destroyed) {
    socket.destroy();
    return;
  }
  response.on('close', () => void socket.destroy());
  // Before Node handles it, which would treat the error as the end of a response of unknown length.
  socket.once('error', () => {
    if (response.headersSent) request.socket.resetAndDestroy();
  });
  const upstream = startRequest({
    createConnection: () => repairHeads(socket, responseHeadBytes),
    method: request.method,
    path,
    headers: requestFields(request, authority),
    maxHeaderSize: responseHeadBytes,
  });
  // The client asked whether to send its body; the server's answer to that is passed on.
  upstream.on('continue', () => response.writeContinue());
  upstream.on('response', (answer) => {
    if (!passHead(answer, response)) {
      socket.destroy();
      return;
    }
    pipeline(answer, response, () => undefined);
  });
  // The pipelines pass on a failure in the middle of a body.
  upstream.on('error', () => undefined);
  upstream.on('close', () => {
    if (!response.headersSent) refuseRequest(response, 502);
  });
  pipeline(request, upstream, () => undefined);
}

/**
 * False for a head that hides its body's length, or that Node's parser accepts but its writer does not, e.g. with
 * status 099.
 */
function passHead(answer: IncomingMessage, response: ServerResponse): boolean {
  if (dropsLength(answer.rawHeaders)) return false;
  response.sendDate = false;
  const fields = [...endToEndFields(answer.rawHeaders), 'Connection', 'close'];
  try {
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, fields);
    return true;
  } catch {
    return false;
  }
}

/** RFC 9112 §3.2.2: the target's authority replaces the Host field. The framing of the body is kept. */
function requestFields(request: IncomingMessage, authority: string): string[] {
  const fields = ['Host', authority, ...endToEndFields(request.rawHeaders, ['host']), 'Connection', 'close'];
  if (request.headers['transfer-encoding'] !== undefined) return [...fields, 'Transfer-Encoding', 'chunked'];
  if (request.headers['content-length'] !== undefined) return fields;
  // Otherwise Node would announce a chunked body for methods that usually have one (RFC 9110 §8.6).
  return ['POST', 'PUT', 'PATCH'].includes(request.method ?? '')
    ? [...fields, 'Content-Length', '0']
    : fields;
}

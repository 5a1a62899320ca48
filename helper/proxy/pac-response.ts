import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuseRequest } from './http-refusal.ts';

export interface PacFile {
  /**
   * Where it is, and where it was when its content was another: a browser that has not been told yet of the new
   * address would go out directly for want of a file at the old one.
   */
  paths: ReadonlySet<string>;
  text: string;
}

/**
 * Where a PAC file is served: browsers read one again only if its address is another. Short, since people may have
 * to copy it.
 */
export function pacFilePath(text: string): string {
  return `/${createHash('sha256').update(text).digest('hex').slice(0, 16)}.pac`;
}

/**
 * Serves the PAC file. Only under the names of this machine: a page whose own name leads to 127.0.0.1 (DNS
 * rebinding) sends that name as Host and gets nothing.
 */
export function servePacFile(
  request: IncomingMessage,
  response: ServerResponse,
  file: PacFile | undefined,
): void {
  const port = request.socket.localPort;
  const { host } = request.headers;
  const isForUs = host === `127.0.0.1:${port}` || host?.toLowerCase() === `localhost:${port}`;
  if (!isForUs || request.method !== 'GET' || file === undefined || !file.paths.has(request.url ?? '')) {
    refuseRequest(response, 404);
    return;
  }
  response.writeHead(200, {
    'content-type': 'application/x-ns-proxy-autoconfig',
    'content-length': Buffer.byteLength(file.text),
    'cache-control': 'no-store',
    // No page may run it as a script of its own, or load it otherwise, to learn what is in it.
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    connection: 'close',
  });
  response.end(file.text);
}

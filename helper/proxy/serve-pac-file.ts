import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuseRequest } from './http-refusal.ts';

export interface PacFile {
  /**
   * Its current path and earlier ones: a browser that does not know the new address yet would go out directly if it
   * found no file at the old one.
   */
  paths: ReadonlySet<string>;
  text: string;
}

/**
 * The path of a PAC file: browsers only read a file again if its address has changed. Short, because people may have to
 * copy it.
 */
export function pacFilePath(text: string): string {
  return `/${createHash('sha256').update(text).digest('hex').slice(0, 16)}.pac`;
}

/**
 * Serves the PAC file, only under this machine's names: a page whose own name resolves to 127.0.0.1 (DNS rebinding)
 * sends that name as Host, and gets nothing.
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
    // No page may run it as its own script, or load it in another way, to read its content.
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    connection: 'close',
  });
  response.end(file.text);
}

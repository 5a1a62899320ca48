import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { OpenFailure } from './open-destination.ts';
import { refuseClient } from './refuse-client.ts';

export const statusOfFailure: Readonly<Record<OpenFailure, number>> = {
  forbidden: 403,
  'name-not-found': 502,
  'network-unreachable': 502,
  'host-unreachable': 502,
  'connection-refused': 502,
  failed: 502,
  'timed-out': 504,
};

/** Answers a request with only a status. */
export function refuseRequest(response: ServerResponse, status: number): void {
  response.writeHead(status, STATUS_CODES[status], { connection: 'close', 'content-length': 0 }).end();
}

/** The same for CONNECT, whose socket no longer belongs to the HTTP server. */
export function refuseConnect(client: Socket, status: number): void {
  refuseClient(
    client,
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
  );
}

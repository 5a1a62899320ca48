import { createSocket } from 'node:dgram';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { createServer, isIPv6 } from 'node:net';
import { ports } from './addresses.ts';

/** The HTTP echo's answer: who it saw asking. */
export interface EchoReply {
  /** Source address of the connection. */
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  /** Address the request came to. */
  readonly destination: string;
  readonly host: string;
  readonly path: string;
}

/**
 * HTTP on port 80 of every address, as JSON or, for a browser, a page with the address in `#address`;
 * TCP echo on port 7 of every address, UDP echo on port 7 of `addresses`. (A UDP socket bound to no address
 * would answer from whatever source the route back prefers.)
 */
export async function serveEcho(addresses: readonly string[]): Promise<void> {
  const http = createHttpServer((request, response) => {
    const reply = echoReply(request);
    const wantsPage = request.headers.accept?.includes('text/html') ?? false;
    response.writeHead(200, {
      'content-type': wantsPage ? 'text/html; charset=utf-8' : 'application/json',
      'cache-control': 'no-store',
      'access-control-allow-origin': '*',
    });
    response.end(wantsPage ? page(reply) : JSON.stringify(reply));
  });
  const tcp = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.pipe(socket);
  });
  const bindUdp = (address: string) => {
    const udp = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    udp.on('message', (message, peer) => udp.send(message, peer.port, peer.address));
    return new Promise<void>((resolve) => udp.bind(ports.echo, address, resolve));
  };
  await Promise.all([
    new Promise<void>((resolve) => http.listen(ports.http, '::', resolve)),
    new Promise<void>((resolve) => tcp.listen(ports.echo, '::', resolve)),
    ...addresses.map(bindUdp),
  ]);
}

function echoReply(request: IncomingMessage): EchoReply {
  const address = plain(request.socket.remoteAddress);
  return {
    address,
    family: address.includes(':') ? 'ipv6' : 'ipv4',
    destination: plain(request.socket.localAddress),
    host: request.headers.host ?? '',
    path: request.url ?? '',
  };
}

/** IPv4 addresses in plain form; a dual-stack socket reports them mapped into IPv6 (RFC 4291 §2.5.5.2). */
function plain(address = ''): string {
  return address.replace(/^::ffff:/, '');
}

function page({ address }: EchoReply): string {
  return `<!doctype html><html lang="en"><title>Your address</title>
<main><h1>Your address</h1><p id="address">${address}</p></main></html>`;
}

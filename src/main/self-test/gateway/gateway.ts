import { randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { createPacketReader, framePacket, packetKind } from '#node/anyconnect/cstp/packet.ts';
import type { ServerCertificate } from './certificate.ts';
import { createDtlsServer, type DtlsServer } from './dtls-server.ts';
import { namedSession } from './hello.ts';
import { answerSignIn, type Credentials } from './sign-in-form.ts';

/** By what a packet came. */
export type Way = 'tls' | 'dtls';

/** What the gateway gives to whoever connects: one client at a time. */
export interface Pushed {
  addresses: { ipv4: string; ipv6: string };
  resolvers: readonly string[];
  mtu: number;
}

export interface GatewayOptions {
  certificate: ServerCertificate;
  credentials: Credentials;
  pushed: Pushed;
  port: number;
  /** A packet that has come out of the tunnel. */
  onPacket(packet: Buffer, way: Way): void;
}

/**
 * An AnyConnect-compatible gateway for one client: sign-in with a password, CSTP over TLS, and DTLS with PSK-NEGOTIATE
 * (draft-mavrogiannopoulos-openconnect-04). It carries packets and does nothing else with them.
 */
export interface Gateway {
  /** Listens at an address, by TCP and UDP, in the network namespace that this thread is in. */
  listen(address: string): Promise<void>;
  /** Sends a packet into the tunnel; it is lost while there is none. */
  send(packet: Buffer): void;
  /** While it is deaf, it takes no new connections and no datagrams. */
  setDeaf(isDeaf: boolean): void;
  /** How often somebody has signed in, and has got a tunnel. */
  counts(): { signIns: number; tunnels: number; packets: Record<Way, number> };
  close(): void;
}

/** A tunnel, from its CONNECT on. */
interface Tunnel {
  socket: TLSSocket;
  /** What the first datagram of DTLS names it by. */
  id: Buffer;
  key: Buffer;
  dtls: DtlsServer | undefined;
  /** By what packets are sent: as they came last. */
  way: Way;
}

const exporterLabel = 'EXPORTER-openconnect-psk';
const keyBytes = 32;
const maxHeadBytes = 16 * 1024;
const maxBodyBytes = 64 * 1024;
/** In seconds. The helper notices losses sooner, by itself. */
const dpdSeconds = 30;
const keepAliveSeconds = 60;

export function createGateway(options: GatewayOptions): Gateway {
  const { certificate, pushed } = options;
  const cookies = new Set<string>();
  const sockets = new Set<TLSSocket>();
  const servers: Server[] = [];
  const datagrams: DatagramSocket[] = [];
  /** By the address and port that datagrams come from. */
  const peers = new Map<string, Tunnel>();
  let current: Tunnel | undefined;
  let isDeaf = false;
  const counts = { signIns: 0, tunnels: 0, packets: { tls: 0, dtls: 0 } };

  function takePacket(tunnel: Tunnel, way: Way, kind: number, payload: Buffer): void {
    const reply = (answered: number, content: Buffer) => {
      if (way === 'tls') tunnel.socket.write(framePacket(answered, content));
      else tunnel.dtls?.send(Buffer.concat([Buffer.from([answered]), content]));
    };
    switch (kind) {
      case packetKind.data:
        tunnel.way = way;
        counts.packets[way] += 1;
        if (tunnel === current) options.onPacket(payload, way);
        break;
      case packetKind.dpdRequest:
        reply(packetKind.dpdAnswer, payload);
        break;
      case packetKind.disconnect:
        // It ends the session, as its user has meant it to.
        cookies.clear();
        tunnel.socket.end();
        break;
      default:
    }
  }

  function openTunnel(socket: TLSSocket, head: string): void {
    const [, token = ''] = /^cookie:.*?\bwebvpn=([\w-]+)/im.exec(head) ?? [];
    if (!cookies.has(token)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n');
      return;
    }
    const wantsDtls = /^x-dtls-ciphersuite:.*\bPSK-NEGOTIATE\b/im.test(head);
    const tunnel: Tunnel = {
      socket,
      id: randomBytes(32),
      key: exportKey(socket),
      dtls: undefined,
      way: 'tls',
    };
    const before = current;
    current = tunnel;
    before?.socket.end();
    counts.tunnels += 1;
    const { ipv4, ipv6 } = pushed.addresses;
    const lines = [
      'HTTP/1.1 200 CONNECTED',
      'X-CSTP-Version: 1',
      `X-CSTP-Address: ${ipv4}`,
      'X-CSTP-Netmask: 255.255.255.255',
      `X-CSTP-Address-IP6: ${ipv6}/128`,
      ...pushed.resolvers.map((resolver) => `X-CSTP-DNS${resolver.includes(':') ? '-IP6' : ''}: ${resolver}`),
      'X-CSTP-Tunnel-All-DNS: true',
      `X-CSTP-DPD: ${dpdSeconds}`,
      `X-CSTP-Keepalive: ${keepAliveSeconds}`,
      'X-CSTP-Rekey-Method: none',
      `X-CSTP-MTU: ${pushed.mtu}`,
      ...(wantsDtls
        ? [
            'X-DTLS-CipherSuite: PSK-NEGOTIATE',
            `X-DTLS-App-ID: ${tunnel.id.toString('hex')}`,
            `X-DTLS-Port: ${options.port}`,
            `X-DTLS-DPD: ${dpdSeconds}`,
            `X-DTLS-Keepalive: ${keepAliveSeconds}`,
            `X-DTLS-MTU: ${pushed.mtu}`,
          ]
        : []),
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    const reader = createPacketReader();
    socket.on('data', (bytes: Buffer) => {
      const fault = reader.read(bytes, (kind, payload) => takePacket(tunnel, 'tls', kind, payload));
      if (fault) socket.destroy();
    });
    socket.once('close', () => {
      if (current === tunnel) current = undefined;
      for (const [peer, owner] of peers) if (owner === tunnel) peers.delete(peer);
    });
  }

  /** Requests of the sign-in, one after the other, until the connection becomes a tunnel. */
  function serve(socket: TLSSocket): void {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => sockets.delete(socket));
    if (isDeaf) {
      socket.destroy();
      return;
    }
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
        return openTunnel(socket, head);
      }
      const length = Number(/^content-length:\s*(\d{1,6})\s*$/im.exec(head)?.[1] ?? 0);
      if (length > maxBodyBytes) return void socket.destroy();
      const next = end + 4 + length;
      if (received.length < next) return;
      const body = received.toString('utf8', end + 4, next);
      received = received.subarray(next);
      socket.write(answer(head, body));
    };
    socket.on('data', onData);
  }

  function answer(head: string, body: string): string {
    if (!head.startsWith('POST ')) return 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n';
    let token: string | undefined;
    const reply = answerSignIn(body, options.credentials, () => (token = randomBytes(24).toString('hex')));
    if (token !== undefined) {
      cookies.add(token);
      counts.signIns += 1;
    }
    const lines = [
      'HTTP/1.1 200 OK',
      'Content-Type: text/xml; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(reply.xml)}`,
      ...(token === undefined ? [] : [`Set-Cookie: webvpn=${token}; Secure`]),
    ];
    return `${lines.join('\r\n')}\r\n\r\n${reply.xml}`;
  }

  function takeDatagram(socket: DatagramSocket, datagram: Buffer, from: RemoteInfo): void {
    if (isDeaf) return;
    const peer = `${from.address} ${from.port}`;
    const id = namedSession(datagram);
    if (id && current?.id.equals(id) && peers.get(peer) !== current) {
      const tunnel = current;
      peers.set(peer, tunnel);
      tunnel.dtls = createDtlsServer({
        key: tunnel.key,
        send: (sent) => socket.send(sent, from.port, from.address),
        onContent: (content) => takePacket(tunnel, 'dtls', content[0] ?? -1, content.subarray(1)),
        onConnected: () => (tunnel.way = 'dtls'),
        onEnd: () => (tunnel.way = 'tls'),
      });
    }
    peers.get(peer)?.dtls?.receive(datagram);
  }

  return {
    async listen(address) {
      const server = createServer(
        { cert: certificate.certificate, key: certificate.key, minVersion: 'TLSv1.2' },
        serve,
      );
      server.on('tlsClientError', (_error, socket) => socket.destroy());
      servers.push(server);
      server.listen(options.port, address);
      await once(server, 'listening');
      const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
      socket.on('message', (datagram, from) => takeDatagram(socket, datagram, from));
      socket.on('error', () => undefined);
      datagrams.push(socket);
      socket.bind(options.port, address);
      await once(socket, 'listening');
    },
    send(packet) {
      if (!current) return;
      const { dtls, way, socket } = current;
      const isSent =
        way === 'dtls' && dtls?.send(Buffer.concat([Buffer.from([packetKind.data]), packet])) === true;
      // Each packet in a record of its own, as clients expect it.
      if (!isSent) socket.write(framePacket(packetKind.data, packet));
    },
    setDeaf(deaf) {
      isDeaf = deaf;
      if (!deaf) return;
      for (const socket of sockets) socket.destroy();
    },
    counts: () => ({ ...counts, packets: { ...counts.packets } }),
    close() {
      for (const server of servers) server.close();
      for (const socket of datagrams) socket.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** With TLS 1.2, no context is another one than one that is empty (RFC 5705 §4); Node's types know only the latter. */
function exportKey(socket: TLSSocket): Buffer {
  const exporter = socket as unknown as { exportKeyingMaterial(length: number, label: string): Buffer };
  return exporter.exportKeyingMaterial(keyBytes, exporterLabel);
}

import { randomBytes } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { createPacketReader, framePacket, packetKind } from '#node/anyconnect/cstp/packet.ts';
import type { ServerCertificate } from './certificate.ts';
import { createDtlsServer, type DtlsServer } from './dtls-server.ts';
import { namedSession } from './hello.ts';
import { documentAnswer, notFound, takeRequests, tokenIn, unauthorized } from './requests.ts';
import { answerSignIn, type Credentials } from './sign-in-form.ts';
import { exportKey, tunnelAnswer, wantsDtls, type Pushed } from './tunnel-answer.ts';

/** By what a packet came. */
export type Way = 'tls' | 'dtls';

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
    if (!cookies.has(tokenIn(head))) {
      socket.end(unauthorized);
      return;
    }
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
    const offered = wantsDtls(head) ? { id: tunnel.id, port: options.port } : undefined;
    socket.write(tunnelAnswer(pushed, offered));
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
    takeRequests(socket, { answer, onConnect: (head) => openTunnel(socket, head) });
  }

  function answer(head: string, body: string): string {
    if (!head.startsWith('POST ')) return notFound;
    let token: string | undefined;
    const reply = answerSignIn(body, options.credentials, () => (token = randomBytes(24).toString('hex')));
    if (token !== undefined) {
      cookies.add(token);
      counts.signIns += 1;
    }
    return documentAnswer(reply.xml, token);
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

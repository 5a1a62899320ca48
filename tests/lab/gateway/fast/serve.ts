import { randomBytes } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type TLSSocket } from 'node:tls';
import { createPacketReader, framePacket, packetKind } from '#node/anyconnect/cstp/packet.ts';
import type { DataPath, FastDevice } from '../../../../helper/engine/own/data-path/start-data-path.ts';
import type { ServerCertificate } from '../../../../src/main/self-test/gateway/certificate.ts';
import { namedSession } from '../../../../src/main/self-test/gateway/hello.ts';
import {
  documentAnswer,
  notFound,
  takeRequests,
  tokenIn,
  unauthorized,
} from '../../../../src/main/self-test/gateway/requests.ts';
import { answerSignIn, type Credentials } from '../../../../src/main/self-test/gateway/sign-in-form.ts';
import {
  exportKey,
  tunnelAnswer,
  wantsDtls,
  type Pushed,
} from '../../../../src/main/self-test/gateway/tunnel-answer.ts';
import { openDatagramWay, type DatagramWay } from './datagram-way.ts';

export interface ServeOptions {
  certificate: ServerCertificate;
  /** Who may sign in now. */
  users(): readonly Credentials[];
  pushed: Pushed;
  address: string;
  port: number;
  dataPath: DataPath;
  device: Pick<FastDevice, 'write'>;
  log: (text: string) => void;
}

/** Carries the packets of the device that the data path leaves to this thread. */
export interface Served {
  send(packet: Buffer): void;
}

interface Tunnel {
  socket: TLSSocket;
  /** What the first datagram of DTLS names it by. */
  id: Buffer;
  key: Buffer;
  /** By the port of the client; undefined while a way is being opened. */
  ways: Map<number, DatagramWay | undefined>;
}

/** Serves one client at a time: TLS on this thread, datagrams by the data path's. */
export async function serve(options: ServeOptions): Promise<Served> {
  const { pushed, address, port, log } = options;
  /** Tokens of sessions, which have numbers. */
  const sessions = new Map<string, number>();
  let signIns = 0;
  let current: Tunnel | undefined;

  function answer(head: string, body: string): string {
    if (!head.startsWith('POST ')) return notFound;
    let token: string | undefined;
    const newToken = () => (token = randomBytes(24).toString('hex'));
    const nobody = { username: '', password: randomBytes(16).toString('hex') };
    const replies = [nobody, ...options.users()].map((user) => answerSignIn(body, user, newToken));
    const reply = replies.find(({ kind }) => kind === 'signed-in') ?? replies[0];
    if (token !== undefined) {
      signIns += 1;
      sessions.set(token, signIns);
      log(`session ${signIns} signed in`);
    }
    return documentAnswer(reply?.xml ?? '', token);
  }

  function openTunnel(socket: TLSSocket, head: string): void {
    const token = tokenIn(head);
    const session = sessions.get(token);
    if (session === undefined) {
      socket.end(unauthorized);
      return;
    }
    const tunnel: Tunnel = { socket, id: randomBytes(32), key: exportKey(socket), ways: new Map() };
    current?.socket.end();
    current = tunnel;
    log(`session ${session} connected${socket.isSessionReused() ? ', resumed' : ''}`);
    socket.write(tunnelAnswer(pushed, wantsDtls(head) ? { id: tunnel.id, port } : undefined));
    const reader = createPacketReader();
    socket.on('data', (bytes: Buffer) => {
      const fault = reader.read(bytes, (kind, payload) => {
        if (kind === packetKind.data && tunnel === current) options.device.write(payload);
        if (kind === packetKind.dpdRequest) socket.write(framePacket(packetKind.dpdAnswer, payload));
        if (kind !== packetKind.disconnect) return;
        sessions.delete(token);
        socket.end();
      });
      if (fault) socket.destroy();
    });
    socket.once('close', () => {
      if (current === tunnel) current = undefined;
      for (const way of tunnel.ways.values()) way?.close();
      log(`session ${session} ended`);
    });
  }

  function takeDatagram(datagram: Buffer, from: { address: string; port: number }): void {
    const id = namedSession(datagram);
    const tunnel = current;
    if (!id || !tunnel?.id.equals(id) || tunnel.ways.has(from.port)) return;
    tunnel.ways.set(from.port, undefined);
    const opening = openDatagramWay(
      {
        dataPath: options.dataPath,
        peer: { address: from.address, port: from.port },
        gatewayPort: port,
        key: tunnel.key,
        mtu: pushed.mtu,
        onConnected: (cipher) => log(`datagrams are carried with ${cipher}`),
        onEnd: (why) => log(`datagrams: ${why}`),
      },
      datagram,
    );
    opening.then(
      (way) => (tunnel.socket.destroyed ? way.close() : tunnel.ways.set(from.port, way)),
      (error: unknown) => log(`no datagrams: ${String(error)}`),
    );
  }

  const server = createServer(
    { cert: options.certificate.certificate, key: options.certificate.key, minVersion: 'TLSv1.2' },
    (socket) => {
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
      takeRequests(socket, { answer, onConnect: (head) => openTunnel(socket, head) });
    },
  );
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.listen(port, address);
  await once(server, 'listening');
  const datagrams = createSocket('udp4');
  datagrams.on('message', takeDatagram);
  datagrams.bind(port, address);
  await once(datagrams, 'listening');
  return {
    // Each packet in a record of its own, as clients expect it.
    send: (packet) => void current?.socket.write(framePacket(packetKind.data, packet)),
  };
}

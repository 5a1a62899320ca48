import { duplexPair, type Duplex } from 'node:stream';
import { createPacketReader, framePacket, packetKind } from '#node/anyconnect/cstp/packet.ts';
import type { OpenDatagrams } from '../../../../../helper/engine/own/tunnel/datagram-port.ts';
import { createTunnel } from '../../../../../helper/engine/own/tunnel/tunnel.ts';
import type {
  SecureConnection,
  Tunnel,
  TunnelEnd,
  TunnelOptions,
} from '../../../../../helper/engine/own/tunnel/tunnel-port.ts';
import { createDtlsServer, type DtlsServer } from '../../../../../src/main/self-test/gateway/dtls-server.ts';

export const usualHeaders = [
  'X-CSTP-Address: 192.0.2.7',
  'X-CSTP-Base-MTU: 1500',
  'X-CSTP-MTU: 1434',
  'X-DTLS-CipherSuite: PSK-NEGOTIATE',
  `X-DTLS-App-ID: ${'0a'.repeat(32)}`,
];

export type Way = 'tls' | 'dtls';

/** A gateway at the other end of a tunnel, whose network and answers a test decides. */
export interface TestGateway {
  readonly tunnel: Tunnel;
  /** The lines of the answers from now on, and the status. */
  headers: string[];
  status: string;
  /** Where it is. */
  address: string;
  /** Datagrams larger than this are lost; 0: all of them. In bytes, without the headers of IP and UDP. */
  largestDatagram: number;
  /** Whether the next datagram is lost, whatever its size. */
  loses: () => boolean;
  /** The size of the largest datagram that was sent, by either end. */
  largest: number;
  /** Whether connections are made to it; a promise: once that is known. */
  opens: boolean | Promise<boolean>;
  /** How many connections were wanted so far. */
  opened: number;
  /** Whether it answers when it is asked if it is there, by each way; `empty`: with less than it was asked with. */
  answers: { tls: boolean; dtls: boolean | 'empty' };
  /** The heads of the requests so far. */
  readonly requests: string[];
  /** Whether its system answers a packet whose time is over, as it is then. */
  answersAsHop: () => boolean;
  /** The connection by which it does; undefined: the one by which it was asked. */
  hopAnswersBy: number | undefined;
  /** How many such have come. */
  hops: number;
  /** All other packets that have come, in their order. */
  readonly packets: { way: Way; text: string }[];
  /** The kinds of all other packets that came by TLS. */
  readonly kinds: number[];
  /** The connections on which this end has said goodbye. */
  readonly goodbyes: number[];
  /** How many datagrams were sent to it, whether or not they arrived. */
  datagrams: number;
  /** What the tunnel has told. */
  readonly told: string[];
  readonly ends: TunnelEnd[];
  /** How often it has told that it is not busy any more. */
  rooms: number;
  readonly mtus: number[];
  /** What the tunnel has given to this machine. */
  readonly received: string[];
  /** Sends a packet by the newest channel of its kind. */
  send(way: Way, text: string): void;
  /** Writes bytes into the newest TLS connection, or the one with this number. */
  write(bytes: Buffer, connection?: number): void;
  end(): void;
  /** Whether a configuration is accepted; a promise: once that is known. */
  accepts: boolean | Promise<boolean>;
  /** How many configurations have been asked for at once, at most. */
  configuredAtOnce: number;
  /** What comes with the head of each answer, in one piece. */
  inOnePiece: Buffer;
  /** Whether requests are only answered once it is told to, by `answer`. */
  thinks: boolean;
  answer(): void;
  /** What the next connection is instead of a new one. */
  held: SecureConnection | undefined;
}

export function startTunnel(
  changes: Partial<TestGateway> & { options?: Partial<TunnelOptions> } = {},
): TestGateway {
  const connections: Duplex[] = [];
  const keys: Buffer[] = [];
  const unanswered: (() => void)[] = [];
  let configuring = 0;
  let server: DtlsServer | undefined;
  let deliver: (datagram: Buffer) => void = () => undefined;

  async function openTls(): Promise<SecureConnection | undefined> {
    const { held } = gateway;
    gateway.held = undefined;
    if (held) return held;
    gateway.opened += 1;
    if (!(await gateway.opens)) return undefined;
    const [socket, far] = duplexPair();
    const number = connections.length;
    const key = Buffer.alloc(32, number + 1);
    connections.push(far);
    keys.push(key);
    far.on('error', () => undefined);
    const reader = createPacketReader();
    let isAsked = false;
    far.on('data', (bytes: Buffer) => {
      if (!isAsked) {
        isAsked = true;
        gateway.requests.push(bytes.toString());
        const answer = () => {
          const head = `HTTP/1.1 ${gateway.status}\r\n${gateway.headers.join('\r\n')}\r\n\r\n`;
          far.write(Buffer.concat([Buffer.from(head), gateway.inOnePiece]));
        };
        if (gateway.thinks) unanswered.push(answer);
        else answer();
        return;
      }
      reader.read(bytes, (kind, payload) => {
        if (kind === packetKind.data && isOver(payload)) {
          gateway.hops += 1;
          if (gateway.answersAsHop())
            gateway.write(
              framePacket(packetKind.data, timeExceeded(payload)),
              gateway.hopAnswersBy ?? number,
            );
        } else if (kind === packetKind.data) gateway.packets.push({ way: 'tls', text: payload.toString() });
        else gateway.kinds.push(kind);
        if (kind === packetKind.disconnect) gateway.goodbyes.push(number);
        if (kind === packetKind.dpdRequest && gateway.answers.tls)
          far.write(framePacket(packetKind.dpdAnswer, payload));
      });
    });
    return {
      socket,
      address: gateway.address,
      exportKey() {
        // Like Node's TLS.
        if (socket.destroyed) throw new TypeError('there is no connection that has a key');
        return key;
      },
    };
  }

  const openDatagrams: OpenDatagrams = ({ onDatagram }) => {
    const passes = (datagram: Buffer) => {
      gateway.largest = Math.max(gateway.largest, datagram.length);
      return datagram.length <= gateway.largestDatagram && !gateway.loses();
    };
    let isOpen = true;
    const own: DtlsServer = createDtlsServer({
      key: keys.at(-1) ?? Buffer.alloc(0),
      send: (datagram) => queueMicrotask(() => isOpen && passes(datagram) && onDatagram(datagram)),
      onContent(content) {
        if (content[0] === packetKind.data)
          gateway.packets.push({ way: 'dtls', text: content.subarray(1).toString() });
        if (content[0] !== packetKind.dpdRequest || !gateway.answers.dtls) return;
        const payload = gateway.answers.dtls === 'empty' ? Buffer.alloc(0) : content.subarray(1);
        own.send(Buffer.concat([Buffer.from([packetKind.dpdAnswer]), payload]));
      },
    });
    server = own;
    deliver = (datagram) => own.receive(datagram);
    const toOwn = deliver;
    return {
      send(datagram) {
        gateway.datagrams += 1;
        if (passes(datagram)) queueMicrotask(() => toOwn(datagram));
      },
      close: () => (isOpen = false),
    };
  };

  const gateway = {
    headers: usualHeaders,
    address: '192.0.2.1',
    status: '200 CONNECTED',
    largestDatagram: 65_535,
    loses: () => false,
    largest: 0,
    opens: true as boolean | Promise<boolean>,
    answers: { tls: true, dtls: true as boolean | 'empty' },
    accepts: true as boolean | Promise<boolean>,
    configuredAtOnce: 0,
    inOnePiece: Buffer.alloc(0),
    thinks: false,
    answersAsHop: () => false,
    hopAnswersBy: undefined as number | undefined,
    held: undefined,
    ...changes,
    requests: [] as string[],
    packets: [] as TestGateway['packets'],
    opened: 0,
    hops: 0,
    kinds: [] as number[],
    goodbyes: [] as number[],
    datagrams: 0,
    told: [] as string[],
    ends: [] as TunnelEnd[],
    rooms: 0,
    mtus: [] as number[],
    received: [] as string[],
    send(way: Way, text: string) {
      if (way === 'dtls') server?.send(Buffer.concat([Buffer.from([packetKind.data]), Buffer.from(text)]));
      else connections.at(-1)?.write(framePacket(packetKind.data, Buffer.from(text)));
    },
    write: (bytes: Buffer, connection = connections.length - 1) => void connections[connection]?.write(bytes),
    answer() {
      for (const one of unanswered.splice(0)) one();
    },
    end: () => void connections.at(-1)?.end(),
  };
  const tunnel = createTunnel({
    host: 'vpn.example',
    port: 443,
    cookie: 'webvpn=abc',
    userAgent: 'tests',
    linkMtu: 1_500,
    mtu: undefined,
    roundTripMs: 0,
    usesDatagrams: true,
    openTls,
    openDatagrams: () => openDatagrams,
    listener: {
      onPacket: (packet) => gateway.received.push(packet.toString()),
      onRoom: () => void (gateway.rooms += 1),
      async onConfiguration(_answer, mtu) {
        gateway.mtus.push(mtu);
        configuring += 1;
        gateway.configuredAtOnce = Math.max(gateway.configuredAtOnce, configuring);
        const isAccepted = await gateway.accepts;
        configuring -= 1;
        return isAccepted;
      },
      onTransport: (transport) => gateway.told.push(transport),
      onDtlsEncryption: ({ cipher }) => gateway.told.push(cipher),
      onNote: (note, detail) => gateway.told.push(detail === undefined ? note : `${note}: ${detail}`),
      onEnd: (end) => gateway.ends.push(end),
    },
    ...changes.options,
  });
  return Object.assign(gateway, { tunnel });
}

/** Whether it is a packet of IPv4 that may not travel further. */
const isOver = (packet: Buffer) => packet.length >= 20 && packet[0] === 0x45 && packet[8] === 1;

/** What a router says of such a packet (RFC 792): that its time is over, with its beginning. */
function timeExceeded(packet: Buffer): Buffer {
  const answer = Buffer.concat([Buffer.alloc(28), packet.subarray(0, 28)]);
  answer[0] = 0x45;
  answer.writeUInt16BE(answer.length, 2);
  answer[8] = 64;
  answer[9] = 1;
  packet.copy(answer, 16, 12, 16);
  answer[20] = 11;
  return answer;
}

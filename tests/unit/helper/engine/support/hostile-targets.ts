import { createHeadReader } from '../../../../../helper/engine/own/cstp/answer-head.ts';
import { readConnectAnswer } from '../../../../../helper/engine/own/cstp/connect-answer.ts';
import { createPacketReader, framePacket, maxPayload, packetKind } from '#node/anyconnect/cstp/packet.ts';
import { readCustomAttributes } from '../../../../../helper/engine/own/cstp/post-auth-xml.ts';
import { createArena } from '../../../../../helper/engine/own/data-path/arena.ts';
import { createCutter } from '../../../../../helper/engine/own/data-path/cutter.ts';
import { createJoiner } from '../../../../../helper/engine/own/data-path/joiner.ts';
import { virtioBytes } from '../../../../../helper/engine/own/data-path/virtio-header.ts';
import { createDtlsClient } from '../../../../../helper/engine/own/dtls/client.ts';
import { messageType, wholeMessage } from '#node/anyconnect/dtls/handshake-messages.ts';
import { contentType, plainRecord } from '#node/anyconnect/dtls/record.ts';
import { createDtlsServer } from '../../../../../src/main/self-test/gateway/dtls-server.ts';
import { largePacket, packet, type PacketShape } from './packets.ts';

/** A part of the engine that reads what strangers, or a gateway that is not to be believed, send. */
export interface HostileTarget {
  /** Inputs that it understands, to begin with. */
  seeds: Buffer[];
  /** Throws if the engine does what it must not. */
  readonly run: (input: Buffer) => void;
}

function must(condition: boolean, what: string): asserts condition {
  if (!condition) throw new Error(what);
}

/** The input's pieces, each behind two bytes with its length. */
function piecesOf(input: Buffer, maxCount: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at + 2 <= input.length && pieces.length < maxCount;) {
    const length = input.readUInt16BE(at);
    pieces.push(input.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return pieces;
}

function inPieces(...pieces: readonly Buffer[]): Buffer {
  return Buffer.concat(
    pieces.flatMap((piece) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(piece.length);
      return [length, piece];
    }),
  );
}

/** Whatever the pieces that a stream comes in, its packets are the same, and none is longer than it may be. */
const stream: HostileTarget = {
  seeds: [
    inPieces(framePacket(packetKind.data, Buffer.from('a packet'))),
    inPieces(
      framePacket(packetKind.dpdRequest, Buffer.alloc(40)).subarray(0, 11),
      framePacket(packetKind.dpdRequest, Buffer.alloc(40)).subarray(11),
      framePacket(packetKind.disconnect, Buffer.from('\xb0bye', 'latin1')),
    ),
    inPieces(framePacket(packetKind.compressed, Buffer.from('x'))),
  ],
  run(input) {
    const pieces = piecesOf(input, 64);
    const read = (parts: readonly Buffer[]) => {
      const packets: string[] = [];
      const reader = createPacketReader();
      let fault: string | undefined;
      for (const part of parts)
        fault = reader.read(part, (kind, payload) => {
          must(payload.length <= maxPayload, 'a payload that is too long');
          packets.push(`${kind} ${payload.toString('hex')}`);
        });
      return `${packets.join()} ${fault}`;
    };
    must(read(pieces) === read([Buffer.concat(pieces)]), 'the pieces make a difference');
  },
};

const answer = Buffer.from(
  [
    'HTTP/1.1 200 CONNECTED',
    'X-CSTP-Address: 192.0.2.7',
    'X-CSTP-Address-IP6: 2001:db8::7/64',
    'X-CSTP-Split-Include: 10.0.0.0/255.0.0.0',
    'X-CSTP-MTU: 1400',
    'X-CSTP-Banner: hello%0Ayou',
    'X-CSTP-Rekey-Method: new-tunnel',
    'X-CSTP-Rekey-Time: 3600',
    'X-DTLS-CipherSuite: PSK-NEGOTIATE',
    `X-DTLS-App-ID: ${'0a'.repeat(32)}`,
    'X-CSTP-Post-Auth-XML: <a><custom-attr><b><![CDATA[c]]></b></custom-attr></a>',
    '',
    '',
  ].join('\r\n'),
);

/** Heads are refused or understood, in any pieces, and what is understood is bounded. */
const head: HostileTarget = {
  seeds: [inPieces(answer), inPieces(answer.subarray(0, 50), answer.subarray(50))],
  run(input) {
    const read = createHeadReader();
    for (const piece of piecesOf(input, 64)) {
      const result = read(piece);
      if (result.kind === 'refused') return;
      if (result.kind !== 'complete') continue;
      const understood = readConnectAnswer(result.head);
      if (!understood.ok) return;
      const { splitDns, resolvers, searchDomains, postAuthXml, dtls, mtu } = understood.answer;
      must(splitDns.length <= 1_000 && resolvers.length <= 16 && searchDomains.length <= 64, 'too many');
      must(mtu === undefined || (mtu > 0 && mtu <= 65_535), 'an odd MTU');
      must(dtls.kind === 'none' || (dtls.id.length > 0 && dtls.id.length <= 32), 'an odd session id');
      for (const { name, value } of readCustomAttributes(postAuthXml ?? ''))
        must(/^[A-Za-z][\w.-]{0,63}$/.test(name) && value.length <= 1_024, 'an odd attribute');
      return;
    }
  },
};

const serverHello = Buffer.from(`fefd${'22'.repeat(32)}0000a900000400170000`, 'hex');
const inClear = (type: number, sequence: number, body: Buffer) =>
  plainRecord(contentType.handshake, sequence, wholeMessage(type, sequence, body));

/** Without the key, nobody makes a connection or has data believed, or has more sent than a handshake takes. */
const handshake: HostileTarget = {
  seeds: [
    inPieces(
      inClear(messageType.helloVerifyRequest, 0, Buffer.from('fefd03616263', 'hex')),
      inClear(messageType.serverHello, 1, serverHello),
      inClear(messageType.serverHelloDone, 2, Buffer.alloc(0)),
    ),
    inPieces(
      Buffer.concat([
        inClear(messageType.serverHello, 0, serverHello),
        inClear(messageType.serverKeyExchange, 1, Buffer.from('000461626364', 'hex')),
        inClear(messageType.serverHelloDone, 2, Buffer.alloc(0)),
      ]),
      plainRecord(contentType.changeCipherSpec, 3, Buffer.from([1])),
      inClear(messageType.finished, 3, Buffer.alloc(12)),
    ),
  ],
  run(input) {
    let sent = 0;
    const client = createDtlsClient({
      key: Buffer.alloc(32, 9),
      identity: 'psk',
      sessionId: Buffer.alloc(32, 4),
      send: () => (sent += 1),
      onConnected: () => must(false, 'connected'),
      onData: () => must(false, 'data'),
      onEnd: () => must(false, 'ended'),
    });
    client.start();
    for (const datagram of piecesOf(input, 64)) client.receive(datagram);
    must(sent <= 3, 'more sent than a handshake takes');
    client.close('silently');
  },
};

const changes = { keep: 0, repeat: 1, drop: 2, change: 3 } as const;

/** Of genuine records that come changed, again, late or not at all, each counts once and as it was, or not at all. */
const datagrams: HostileTarget = {
  seeds: [
    Buffer.alloc(24, changes.keep),
    Buffer.from([...Array<number>(20).keys()].flatMap((one) => [one % 4, one])),
  ],
  run(input) {
    const key = Buffer.alloc(32, 9);
    const received: number[] = [];
    const late: Buffer[] = [];
    let deliver: (datagram: Buffer) => void = (datagram) => client.receive(datagram);
    const server = createDtlsServer({
      key,
      send: (datagram) => deliver(datagram),
      onContent: () => undefined,
    });
    let isConnected = false;
    const client = createDtlsClient({
      key,
      identity: 'psk',
      sessionId: Buffer.alloc(32, 4),
      send: (datagram) => server.receive(datagram),
      onConnected: () => (isConnected = true),
      onData: (content) => received.push(content.readUInt32BE(0)),
      onEnd: () => must(false, 'ended'),
    });
    client.start();
    must(isConnected, 'no connection');
    let at = 0;
    const next = () => input[at++] ?? 0;
    deliver = (datagram) => {
      const how = next() & 3;
      if (how === changes.change) {
        const changed = Buffer.from(datagram);
        const index = next() % changed.length;
        changed[index] = (changed[index] ?? 0) ^ (next() || 1);
        client.receive(changed);
      }
      if (how === changes.drop) late.push(datagram);
      else client.receive(datagram);
      if (how === changes.repeat) client.receive(datagram);
    };
    let number = 0;
    for (; at < input.length && number < 200; number += 1) {
      const content = Buffer.alloc(4 + (next() % 40));
      content.writeUInt32BE(number);
      server.send(content);
    }
    for (const datagram of late.toReversed()) client.receive(datagram);
    must(new Set(received).size === received.length, 'a replay counted');
    must(
      received.every((one) => one < number),
      'something was received that nobody sent',
    );
    client.close('silently');
  },
};

const shape: PacketShape = { version: 4, transport: 'tcp', payload: Buffer.alloc(3_000, 'p') };
const guard = 0xa5;
const guardBytes = 256;
const room = 70_000;

/** What a device gives is cut into packets that fit, or refused, and nothing is written beside them. */
const cutting: HostileTarget = {
  seeds: [
    largePacket(shape, 1_000),
    largePacket({ ...shape, version: 6 }, 1_200),
    largePacket({ ...shape, transport: 'udp' }, 900),
    largePacket({ ...shape, payload: Buffer.alloc(20) }, 0),
  ],
  run(input) {
    const bytes = new Uint8Array(room + 2 * guardBytes + input.length).fill(guard);
    const cutter = createCutter(bytes, new DataView(bytes.buffer));
    const from = room + 2 * guardBytes;
    bytes.set(input, from);
    if (!cutter.begin(from, input.length)) return;
    for (let count = 0, length = 1; length > 0; count += 1) {
      must(count <= 65_536, 'it does not end');
      length = cutter.next(guardBytes);
      must(length >= 0 && length <= cutter.largest && length <= room, 'a packet that is too long');
      const beside = bytes.subarray(0, guardBytes);
      must(
        beside.every((byte) => byte === guard) &&
          bytes.subarray(guardBytes + room, from).every((byte) => byte === guard),
        'it wrote beside the packet',
      );
    }
  },
};

const segment = (sequence: number) => packet({ ...shape, payload: Buffer.alloc(500, 's'), sequence });

/** Whatever packets a gateway sends, what is written has the same bytes of payload in all, and no more packets. */
const joining: HostileTarget = {
  seeds: [
    inPieces(segment(0), segment(500), segment(1_000)),
    inPieces(
      packet({ ...shape, version: 6, payload: Buffer.alloc(300), sequence: 0 }),
      packet({ ...shape, version: 6, payload: Buffer.alloc(300), sequence: 300 }),
    ),
  ],
  run(input) {
    const packets = piecesOf(input, 32).filter(({ length }) => length > 0 && length <= 9_000);
    const arena = createArena(1_200_000);
    const place = arena.take(9_000 + virtioBytes);
    let [written, count] = [0, 0];
    const joiner = createJoiner(arena, (at, length) => {
      must(length > virtioBytes && length <= virtioBytes + 65_535, 'an odd length');
      must(arena.address(at, length) > 0, 'outside');
      written += length - virtioBytes;
      count += 1;
    });
    for (const one of packets) {
      arena.bytes.set(one, place + virtioBytes);
      joiner.add(place + virtioBytes, one.length);
    }
    joiner.flush();
    const given = packets.reduce((sum, { length }) => sum + length, 0);
    must(count <= packets.length && written <= given, 'more came out than went in');
    must(written > 0 || given === 0, 'it vanished');
  },
};

export const hostileTargets = { stream, head, handshake, datagrams, cutting, joining };

/** A generator with a seed: the same inputs each time. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    // The constants of Numerical Recipes' generator; its lowest bits are the least random.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const interesting = [0, 1, 0x7f, 0x80, 0xff, 0x0a, 0x0d, 0x20, 0x3a, 0x3c, 0x3e];

/** Another input, made of one or two that are known. */
export function mutated(known: readonly Buffer[], random: (below: number) => number): Buffer {
  const pick = () => known[random(known.length)] ?? Buffer.alloc(0);
  let input = Buffer.from(pick());
  for (let changesLeft = 1 + random(6); changesLeft > 0; changesLeft -= 1) {
    const at = random(input.length + 1);
    const end = at + random(Math.min(64, input.length - at) + 1);
    switch (random(7)) {
      case 0:
        if (at < input.length) input[at] = random(256);
        break;
      case 1:
        if (at < input.length) input[at] = interesting[random(interesting.length)] ?? 0;
        break;
      case 2:
        if (at < input.length) input[at] = (input[at] ?? 0) ^ (1 << random(8));
        break;
      case 3:
        input = Buffer.concat([input.subarray(0, at), input.subarray(end)]);
        break;
      case 4:
        input = Buffer.concat([input.subarray(0, end), input.subarray(at)]);
        break;
      case 5: {
        const other = pick();
        const from = random(other.length + 1);
        input = Buffer.concat([input.subarray(0, at), other.subarray(from)]);
        break;
      }
      default:
        input = Buffer.concat([
          input.subarray(0, at),
          Buffer.from(Array.from({ length: random(8) }, () => random(256))),
          input.subarray(at),
        ]);
    }
  }
  return input.subarray(0, 20_000);
}

import { ByteReader, Malformed, number, vector } from '#node/anyconnect/dtls/bytes.ts';
import { cipherSuites, type CipherSuite } from '#node/anyconnect/dtls/cipher-suites.ts';
import { messageHeaderBytes, messageType } from '#node/anyconnect/dtls/handshake-messages.ts';
import { contentType, headerBytes, readHeader, version } from '#node/anyconnect/dtls/record.ts';

/** The first messages of DTLS 1.2 (RFC 5246 §7.4.1), as a server reads and answers them. */

export interface ClientHello {
  random: Buffer;
  suite: CipherSuite;
  knowsExtendedMasterSecret: boolean;
  knowsRenegotiation: boolean;
}

const extension = { extendedMasterSecret: 23, renegotiationInfo: 0xff01 } as const;
/** RFC 5746 §3.3: stands for the extension. */
const renegotiationSuite = 0x00ff;

/** The session that a first datagram names, which PSK-NEGOTIATE uses for the tunnel's; undefined: it is none. */
export function namedSession(datagram: Buffer): Buffer | undefined {
  const header = readHeader(datagram, 0);
  if (header?.type !== contentType.handshake || header.epoch !== 0) return undefined;
  const reader = new ByteReader(datagram.subarray(headerBytes, headerBytes + header.length));
  try {
    if (reader.number(1) !== messageType.clientHello) return undefined;
    reader.take(messageHeaderBytes - 1);
    reader.take(2 + 32);
    return Buffer.from(reader.vector(1));
  } catch (error) {
    if (error instanceof Malformed) return undefined;
    throw error;
  }
}

export function readClientHello(body: Buffer): ClientHello {
  const reader = new ByteReader(body);
  // Numbers of DTLS count downwards.
  if (reader.number(2) > version) throw new Malformed('an older version');
  const random = Buffer.from(reader.take(32));
  reader.vector(1);
  reader.vector(1);
  const offered = numbersIn(reader.vector(2));
  reader.vector(1);
  const extensions = new Set<number>();
  if (reader.left > 0) {
    const list = new ByteReader(reader.vector(2));
    while (list.left > 0) {
      extensions.add(list.number(2));
      list.vector(2);
    }
  }
  const suite = cipherSuites.find(({ id }) => offered.includes(id));
  if (!suite) throw new Malformed('no cipher suite in common');
  return {
    random,
    suite,
    knowsExtendedMasterSecret: extensions.has(extension.extendedMasterSecret),
    knowsRenegotiation: extensions.has(extension.renegotiationInfo) || offered.includes(renegotiationSuite),
  };
}

function numbersIn(list: Buffer): number[] {
  const reader = new ByteReader(list);
  const found: number[] = [];
  while (reader.left > 0) found.push(reader.number(2));
  return found;
}

/** The body of the answer to it; sessions are not resumed. */
export function serverHello(random: Buffer, hello: ClientHello): Buffer {
  const extensions = [
    ...(hello.knowsExtendedMasterSecret ? [number(extension.extendedMasterSecret, 2), number(0, 2)] : []),
    ...(hello.knowsRenegotiation
      ? [number(extension.renegotiationInfo, 2), vector(vector(Buffer.alloc(0), 1), 2)]
      : []),
  ];
  return Buffer.concat([
    number(version, 2),
    random,
    vector(Buffer.alloc(0), 1),
    number(hello.suite.id, 2),
    // No compression.
    number(0, 1),
    ...(extensions.length > 0 ? [vector(Buffer.concat(extensions), 2)] : []),
  ]);
}

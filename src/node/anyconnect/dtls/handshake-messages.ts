import { ByteReader, Malformed, number, vector } from './bytes.ts';
import { cipherSuites, suiteOf, type CipherSuite } from './cipher-suites.ts';
import { version } from './record.ts';

/** Handshake messages of DTLS 1.2 (RFC 6347 §4.2.2, §4.3.2), as far as a client with a pre-shared key needs them. */

export const messageType = {
  helloRequest: 0,
  clientHello: 1,
  serverHello: 2,
  helloVerifyRequest: 3,
  serverKeyExchange: 12,
  serverHelloDone: 14,
  clientKeyExchange: 16,
  finished: 20,
} as const;

const extensionType = { extendedMasterSecret: 23, renegotiationInfo: 0xff01 } as const;

export const messageHeaderBytes = 12;

/** A message as one fragment, which is also what the hashes of the handshake are made of. */
export const wholeMessage = (type: number, sequence: number, body: Uint8Array): Buffer =>
  Buffer.concat([
    number(type, 1),
    number(body.length, 3),
    number(sequence, 2),
    number(0, 3),
    number(body.length, 3),
    body,
  ]);

export function clientHello(hello: {
  random: Uint8Array;
  sessionId: Uint8Array;
  cookie: Uint8Array;
}): Buffer {
  const extensions = Buffer.concat([
    number(extensionType.extendedMasterSecret, 2),
    number(0, 2),
    // RFC 5746 §3.4: this is no renegotiation.
    number(extensionType.renegotiationInfo, 2),
    vector(vector(Buffer.alloc(0), 1), 2),
  ]);
  return Buffer.concat([
    number(version, 2),
    hello.random,
    vector(hello.sessionId, 1),
    vector(hello.cookie, 1),
    vector(Buffer.concat(cipherSuites.map(({ id }) => number(id, 2))), 2),
    // No compression.
    vector(number(0, 1), 1),
    vector(extensions, 2),
  ]);
}

/** The cookie. Its version says nothing: servers of DTLS 1.2 say 1.0 there, too (RFC 6347 §4.2.1). */
export function readHelloVerifyRequest(body: Buffer): Buffer {
  const reader = new ByteReader(body);
  reader.number(2);
  const cookie = reader.vector(1);
  reader.end();
  return Buffer.from(cookie);
}

export interface ServerHello {
  random: Buffer;
  suite: CipherSuite;
  hasExtendedMasterSecret: boolean;
}

export function readServerHello(body: Buffer): ServerHello {
  const reader = new ByteReader(body);
  if (reader.number(2) !== version) throw new Malformed('another version');
  const random = Buffer.from(reader.take(32));
  if (reader.vector(1).length > 32) throw new Malformed('not a session');
  const suite = suiteOf(reader.number(2));
  if (!suite) throw new Malformed('a cipher suite that was not offered');
  if (reader.number(1) !== 0) throw new Malformed('compression');
  const extensions = new Map<number, Buffer>();
  if (reader.left > 0) {
    const list = new ByteReader(reader.vector(2));
    while (list.left > 0) {
      const type = list.number(2);
      if (extensions.has(type)) throw new Malformed('an extension twice');
      extensions.set(type, list.vector(2));
    }
  }
  reader.end();
  const offered: number[] = Object.values(extensionType);
  if ([...extensions.keys()].some((type) => !offered.includes(type)))
    throw new Malformed('an extension that was not offered');
  const renegotiation = extensions.get(extensionType.renegotiationInfo);
  if (renegotiation && !renegotiation.equals(Buffer.from([0]))) throw new Malformed('a renegotiation');
  const master = extensions.get(extensionType.extendedMasterSecret);
  if (master && master.length > 0) throw new Malformed('an extension with content');
  return { random, suite, hasExtendedMasterSecret: master !== undefined };
}

/** The hint at an identity, which is not needed (RFC 4279 §2). */
export function readServerKeyExchange(body: Buffer): void {
  const reader = new ByteReader(body);
  reader.vector(2);
  reader.end();
}

export const clientKeyExchange = (identity: string): Buffer => vector(Buffer.from(identity), 2);

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { Malformed } from '#node/anyconnect/dtls/bytes.ts';
import {
  masterSecret,
  premasterSecret,
  recordKeys,
  type CipherSuite,
  type RecordKey,
} from '#node/anyconnect/dtls/cipher-suites.ts';
import { messageType, wholeMessage } from '#node/anyconnect/dtls/handshake-messages.ts';
import { createMessageAssembly, type HandshakeMessage } from '#node/anyconnect/dtls/message-assembly.ts';
import { prf } from '#node/anyconnect/dtls/prf.ts';
import {
  contentType,
  createRecordOpener,
  createRecordSealer,
  headerBytes,
  plainRecord,
  readHeader,
  type RecordOpener,
  type RecordSealer,
} from '#node/anyconnect/dtls/record.ts';
import { createReplayWindow } from '#node/anyconnect/dtls/replay-window.ts';
import { readClientHello, serverHello, type ClientHello } from './hello.ts';

/**
 * A server of DTLS 1.2 with a pre-shared key, for one client, without a socket: its owner hands it datagrams, and sends
 * those that it makes. It has no timers. The client sends again what got no answer, and so does this (RFC 6347 §4.2.4).
 */
export interface DtlsServer {
  /** What of it is for whoever has taken the connection over, if that has happened. */
  receive(datagram: Buffer): Buffer | undefined;
  /** Sends one record; false while there is no connection. */
  send(content: Uint8Array): boolean;
  /**
   * Gives the connection away, in `onConnected` only: this server does nothing more with it. A client that has not got
   * the last message of the handshake has to begin again.
   */
  handOver(): ServedRecords;
}

/** What whoever seals and opens the records of a connection from now on has to know. */
export interface ServedRecords {
  suite: CipherSuite;
  client: RecordKey;
  server: RecordKey;
  /** The number of the next record that the server sends. */
  sequence: number;
  /** The numbers of those that have come encrypted. */
  seen: number[];
}

export interface DtlsServerOptions {
  key: Uint8Array;
  send(datagram: Buffer): void;
  onContent(content: Buffer): void;
  onConnected?(suite: CipherSuite): void;
  /** The client has said that it closes the connection. */
  onEnd?(): void;
}

/** What seals and opens the records, and the keys that it has been made of. */
interface Secured {
  suite: CipherSuite;
  keys: { client: RecordKey; server: RecordKey };
  open: RecordOpener;
  seal: RecordSealer;
}

type State =
  | { at: 'hello' }
  | { at: 'key-exchange'; hello: ClientHello; flight: Buffer }
  | ({ at: 'finished'; master: Buffer } & Secured)
  | ({ at: 'connected'; flight: Buffer } & Secured)
  | { at: 'handed-over' };

const verifyBytes = 12;
const closeNotify = 0;

export function createDtlsServer(options: DtlsServerOptions): DtlsServer {
  const random = randomBytes(32);
  const messages = createMessageAssembly();
  const window = createReplayWindow();
  const transcript: Buffer[] = [];
  const seen: number[] = [];
  let state: State = { at: 'hello' };
  let plainSequence = 0;

  const hashOf = ({ hash }: CipherSuite) => createHash(hash).update(Buffer.concat(transcript)).digest();

  function plain(type: number, content: Uint8Array): Buffer {
    plainSequence += 1;
    return plainRecord(type, plainSequence - 1, content);
  }

  function own(type: number, sequence: number, body: Buffer): Buffer {
    const whole = wholeMessage(type, sequence, body);
    transcript.push(whole);
    return whole;
  }

  function takeHello({ body }: HandshakeMessage): void {
    const hello = readClientHello(body);
    const flight = Buffer.concat(
      [
        own(messageType.serverHello, 0, serverHello(random, hello)),
        own(messageType.serverHelloDone, 1, Buffer.alloc(0)),
      ].map((message) => plain(contentType.handshake, message)),
    );
    state = { at: 'key-exchange', hello, flight };
    options.send(flight);
  }

  function takeKeyExchange(hello: ClientHello): void {
    const { suite } = hello;
    const premaster = premasterSecret(options.key);
    const master = masterSecret({
      suite,
      premaster,
      clientRandom: hello.random,
      serverRandom: random,
      sessionHash: hello.knowsExtendedMasterSecret ? hashOf(suite) : undefined,
    });
    const keys = recordKeys(suite, master, { client: hello.random, server: random });
    const open = createRecordOpener(suite, keys.client);
    state = { at: 'finished', master, suite, keys, open, seal: createRecordSealer(suite, keys.server, 1) };
  }

  function takeFinished(message: HandshakeMessage, at: Extract<State, { at: 'finished' }>): void {
    const { master, suite, keys, open, seal } = at;
    const expected = prf(suite.hash, master, 'client finished', hashOf(suite), verifyBytes);
    if (message.body.length !== verifyBytes || !timingSafeEqual(message.body, expected))
      throw new Malformed('it has seen another handshake');
    transcript.push(wholeMessage(message.type, message.sequence, message.body));
    const verify = prf(suite.hash, master, 'server finished', hashOf(suite), verifyBytes);
    const finished = seal.seal(contentType.handshake, wholeMessage(messageType.finished, 2, verify));
    if (!finished) throw new Error('no first record');
    const flight = Buffer.concat([plain(contentType.changeCipherSpec, Buffer.from([1])), finished]);
    state = { at: 'connected', suite, keys, open, seal, flight };
    options.send(flight);
    options.onConnected?.(suite);
  }

  function takeHandshake(content: Buffer, isEncrypted: boolean): void {
    messages.add(content);
    let hasNews = false;
    for (let next = messages.next(); next; next = messages.next()) {
      hasNews = true;
      if (state.at === 'finished') {
        if (!isEncrypted || next.type !== messageType.finished) throw new Malformed('not its last message');
        takeFinished(next, state);
        continue;
      }
      if (isEncrypted) throw new Malformed('encrypted too early');
      transcript.push(wholeMessage(next.type, next.sequence, next.body));
      if (state.at === 'hello' && next.type === messageType.clientHello) takeHello(next);
      else if (state.at === 'key-exchange' && next.type === messageType.clientKeyExchange)
        takeKeyExchange(state.hello);
      else throw new Malformed(`message ${next.type} out of order`);
    }
    // It has not seen our answer.
    if (!hasNews && 'flight' in state) options.send(state.flight);
  }

  function takeRecord(record: Buffer): void {
    const header = readHeader(record, 0);
    if (!header) return;
    if (header.epoch === 0) {
      if (header.type === contentType.handshake) takeHandshake(record.subarray(headerBytes), false);
      return;
    }
    if (!('open' in state) || header.epoch !== 1 || !window.isFresh(header.sequence)) return;
    const content = state.open(header, record);
    if (!content) return;
    window.accept(header.sequence);
    if (state.at === 'finished') seen.push(header.sequence);
    if (header.type === contentType.handshake) takeHandshake(content, true);
    else if (header.type === contentType.applicationData && state.at === 'connected')
      options.onContent(content);
    else if (header.type === contentType.alert && content[1] === closeNotify) options.onEnd?.();
  }

  return {
    receive(datagram) {
      for (let at = 0; at < datagram.length;) {
        if (state.at === 'handed-over') return datagram.subarray(at);
        const header = readHeader(datagram, at);
        if (!header) return undefined;
        const next = at + headerBytes + header.length;
        try {
          takeRecord(datagram.subarray(at, next));
        } catch (error) {
          // What is malformed is ignored: anybody could have sent it.
          if (!(error instanceof Malformed)) throw error;
        }
        at = next;
      }
      return undefined;
    },
    handOver() {
      if (state.at !== 'connected') throw new Error('there is no connection to hand over');
      const { suite, keys, seal } = state;
      state = { at: 'handed-over' };
      return { suite, ...keys, sequence: seal.next(), seen };
    },
    send(content) {
      const record =
        state.at === 'connected' ? state.seal.seal(contentType.applicationData, content) : undefined;
      if (record) options.send(record);
      return record !== undefined;
    },
  };
}

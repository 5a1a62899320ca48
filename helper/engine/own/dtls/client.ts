import { randomBytes } from 'node:crypto';
import { Malformed } from '#node/anyconnect/dtls/bytes.ts';
import type { CipherSuite, RecordKey } from '#node/anyconnect/dtls/cipher-suites.ts';
import { createHandshake, type Flight, type HandshakeKeys } from './handshake.ts';
import { createMessageAssembly } from '#node/anyconnect/dtls/message-assembly.ts';
import {
  contentType,
  createRecordOpener,
  createRecordSealer,
  headerBytes,
  plainRecord,
  readHeader,
  type RecordHeader,
  type RecordOpener,
  type RecordSealer,
} from '#node/anyconnect/dtls/record.ts';
import { createReplayWindow } from '#node/anyconnect/dtls/replay-window.ts';

/** Why a DTLS connection carries nothing any more. */
export type DtlsEnd =
  | 'no answer'
  /** The other end has not the same key, or somebody meddles with the handshake. */
  | 'not genuine'
  | 'closed by the gateway'
  | 'alert'
  | 'used up';

export interface DtlsOptions {
  /** The pre-shared key, and who has it. */
  key: Uint8Array;
  identity: string;
  /** At most 32 bytes. */
  sessionId: Uint8Array;
  /** How long the first answer may take, in milliseconds, before a message is sent again. */
  firstTimeoutMs?: number;
  send(datagram: Buffer): void;
  onConnected(suite: CipherSuite): void;
  onData(content: Buffer): void;
  /** Told once, unless this end closed it. */
  onEnd(end: DtlsEnd): void;
}

/** What was ignored, as a network that loses, repeats or forges datagrams has it. */
export interface DtlsCounters {
  malformed: number;
  forged: number;
  replayed: number;
  retransmitted: number;
}

/** What whoever seals and opens the records of a connection from now on has to know. */
export interface SecuredRecords {
  suite: CipherSuite;
  client: RecordKey;
  server: RecordKey;
  /** The number of the next record. */
  sequence: number;
  /** The numbers of those that carried data and have come. */
  seen: number[];
}

/** A client of DTLS 1.2. It has no socket: its owner hands it datagrams, and sends those that it makes. */
export interface DtlsClient {
  start(): void;
  /** What of it is for whoever has taken the connection over, if that has happened. */
  receive(datagram: Buffer): Buffer | undefined;
  /** Gives the connection away, in `onConnected` only: this client does nothing more with it. */
  handOver(): SecuredRecords;
  /** Sends one record, whose content may be given in two parts; false if there is no connection. */
  write(content: Uint8Array, rest?: Uint8Array): boolean;
  /** `how`: `silently`, without telling the other end. */
  close(how?: 'silently'): void;
  readonly counters: Readonly<DtlsCounters>;
}

/** RFC 6347 §4.2.4.1 allows less than its second. Doubled each time, up to the last. */
const usualFirstTimeoutMs = 400;
const maxTimeoutMs = 6_400;
/** Some 32 seconds in all: hotels' networks lose most datagrams, and the tunnel does not wait for this one. */
const maxTransmissions = 9;

/** Data may overtake the last message of the handshake. */
const maxEarlyRecords = 64;

const closeNotify = Buffer.from([1, 0]);
const fatal = 2;

type State =
  | { at: 'idle' }
  | { at: 'greeting' }
  | { at: 'finishing'; open: RecordOpener; seal: RecordSealer; keys: HandshakeKeys; early: Buffer[] }
  | { at: 'connected'; open: RecordOpener; seal: RecordSealer; keys: HandshakeKeys }
  | { at: 'handed-over' }
  | { at: 'closed' };

export function createDtlsClient(options: DtlsOptions): DtlsClient {
  const { key, identity, sessionId, firstTimeoutMs = usualFirstTimeoutMs } = options;
  const handshake = createHandshake({ key, identity, sessionId, random: randomBytes(32) });
  const counters: DtlsCounters = { malformed: 0, forged: 0, replayed: 0, retransmitted: 0 };
  const window = createReplayWindow();
  let state: State = { at: 'idle' };
  let messages = createMessageAssembly();
  let received = 0;
  let plainSequence = 0;
  /** The numbers of the records with data that came before the connection was there. */
  const seen: number[] = [];
  let timer: NodeJS.Timeout | undefined;

  /** Sends it until `timer` is cleared. */
  function sendFlight(flight: Flight): void {
    clearTimeout(timer);
    let timeoutMs = firstTimeoutMs;
    let transmissions = 0;
    const transmit = () => {
      if (transmissions === maxTransmissions) return end('no answer');
      if (transmissions > 0) counters.retransmitted += 1;
      transmissions += 1;
      timer = setTimeout(transmit, timeoutMs);
      timeoutMs = Math.min(2 * timeoutMs, Math.max(firstTimeoutMs, maxTimeoutMs));
      const records = flight.flatMap(({ epoch, type, content }) => recordOf(epoch, type, content) ?? []);
      options.send(Buffer.concat(records));
    };
    transmit();
  }

  function recordOf(epoch: 0 | 1, type: number, content: Buffer): Buffer | undefined {
    if (epoch === 1) return 'seal' in state ? state.seal.seal(type, content) : undefined;
    plainSequence += 1;
    return plainRecord(type, plainSequence - 1, content);
  }

  function end(why: DtlsEnd): void {
    if (state.at === 'closed') return;
    close();
    options.onEnd(why);
  }

  function close(): void {
    clearTimeout(timer);
    state = { at: 'closed' };
  }

  function takeHandshake(content: Buffer, isEncrypted: boolean): void {
    messages.add(content);
    for (let next = messages.next(); next; next = messages.next()) {
      received += 1;
      const step = handshake.take(next, isEncrypted);
      switch (step.kind) {
        case 'wait':
          break;
        case 'send':
          sendFlight(step.flight);
          break;
        case 'finish':
          // What has come so far was in clear, and is no part of what follows.
          messages = createMessageAssembly(received);
          takeKeys(step.keys);
          sendFlight(step.flight);
          return;
        case 'connected':
          connected();
          return;
        default:
          step satisfies never;
      }
    }
  }

  function takeKeys(keys: HandshakeKeys): void {
    const open = createRecordOpener(keys.suite, keys.server);
    state = { at: 'finishing', open, seal: createRecordSealer(keys.suite, keys.client, 1), keys, early: [] };
  }

  function connected(): void {
    if (state.at !== 'finishing') return;
    clearTimeout(timer);
    const { open, seal, keys, early } = state;
    state = { at: 'connected', open, seal, keys };
    options.onConnected(keys.suite);
    for (const content of early) options.onData(content);
  }

  function takePlain({ type }: RecordHeader, content: Buffer): void {
    // Of what anybody could have sent, only the handshake matters; an alert there ends nothing. A change of the cipher
    // says no more than the epoch of what comes after it, which may overtake it.
    if (type !== contentType.handshake || state.at !== 'greeting') return;
    try {
      takeHandshake(content, false);
    } catch (error) {
      if (!(error instanceof Malformed)) throw error;
      counters.malformed += 1;
    }
  }

  function takeEncrypted(header: RecordHeader, record: Buffer): void {
    if (state.at !== 'finishing' && state.at !== 'connected') return;
    if (!window.isFresh(header.sequence)) {
      counters.replayed += 1;
      return;
    }
    const content = state.open(header, record);
    if (!content) {
      counters.forged += 1;
      return;
    }
    window.accept(header.sequence);
    if (header.type === contentType.applicationData) {
      if (state.at === 'connected') options.onData(content);
      else if (state.early.length < maxEarlyRecords) {
        state.early.push(content);
        seen.push(header.sequence);
      }
    } else if (header.type === contentType.alert) {
      takeAlert(content);
    } else if (header.type === contentType.handshake && state.at === 'finishing') {
      try {
        takeHandshake(content, true);
      } catch (error) {
        if (!(error instanceof Malformed)) throw error;
        // It has the keys, so nobody else sent this.
        end('not genuine');
      }
    }
  }

  function takeAlert(content: Buffer): void {
    if (content.length !== 2) return;
    if (content[1] === closeNotify[1]) end('closed by the gateway');
    else if (content[0] === fatal) end('alert');
  }

  return {
    counters,
    start() {
      if (state.at !== 'idle') return;
      state = { at: 'greeting' };
      sendFlight(handshake.start());
    },
    receive(datagram) {
      for (let at = 0; at < datagram.length;) {
        if (state.at === 'handed-over') return datagram.subarray(at);
        const header = readHeader(datagram, at);
        if (!header || header.version >> 8 !== 0xfe) {
          counters.malformed += 1;
          return undefined;
        }
        const next = at + headerBytes + header.length;
        if (header.epoch === 0) takePlain(header, datagram.subarray(at + headerBytes, next));
        else if (header.epoch === 1) takeEncrypted(header, datagram.subarray(at, next));
        at = next;
      }
      return undefined;
    },
    handOver() {
      if (state.at !== 'connected') throw new Error('there is no connection to hand over');
      const { keys, seal } = state;
      state = { at: 'handed-over' };
      return { ...keys, sequence: seal.next(), seen };
    },
    write(content, rest) {
      if (state.at !== 'connected') return false;
      const record = state.seal.seal(contentType.applicationData, content, rest);
      if (record) options.send(record);
      else end('used up');
      return record !== undefined;
    },
    close(how) {
      if (state.at === 'connected' && how !== 'silently') {
        const record = state.seal.seal(contentType.alert, closeNotify);
        if (record) options.send(record);
      }
      close();
    },
  };
}

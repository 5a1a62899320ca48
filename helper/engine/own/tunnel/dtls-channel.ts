import { packetKind } from '#node/anyconnect/cstp/packet.ts';
import type { CipherSuite } from '#node/anyconnect/dtls/cipher-suites.ts';
import { createDtlsClient, type DtlsClient, type DtlsCounters } from '../dtls/client.ts';
import type { DatagramPort, FastWay, OpenDatagrams } from './datagram-port.ts';
import { probeSizes } from './mtu.ts';
import { judgePeer, type Patience } from './dead-peer-detection.ts';
import { createSizeCheck, type SizeCheck } from './size-check.ts';

/** Why DTLS is given up, until it is tried again. */
export type DtlsChannelEnd =
  | 'no answer'
  | 'not genuine'
  | 'closed by the gateway'
  | 'alert'
  | 'used up'
  /** The handshake went well, but no packet of any size comes back. */
  | 'nothing passes'
  /** It has carried packets, and then been silent for long. */
  | 'silent'
  | 'no socket';

export interface DtlsChannelListener {
  /** It carries packets from now on; also after a silence. */
  onCarrying(): void;
  onEncryption(suite: CipherSuite): void;
  /** The other end does not answer: these packets may not have arrived, and others should go elsewhere. */
  onSilent(unanswered: readonly Buffer[]): void;
  /**
   * The path carries no packets of the MTU, but such. A channel that has carried packets goes on with those that pass;
   * any other is closed.
   */
  onSmallerPath(mtu: number): void;
  onPacket(packet: Buffer): void;
  /** `check` is due. */
  onDue(): void;
  /** Told once, unless its owner closed it. */
  onEnd(end: DtlsChannelEnd): void;
}

export interface DtlsChannelOptions {
  openDatagrams: OpenDatagrams;
  key: Uint8Array;
  sessionId: Uint8Array;
  mtu: number;
  patience: Patience;
  /** Something is sent at least this often; undefined: that is not wanted. */
  keepAliveMs: number | undefined;
  listener: DtlsChannelListener;
}

/** The packets' way by datagrams, from the first message of the handshake on. */
export interface DtlsChannel {
  /** False if it does not carry packets now. The packet must not be changed afterwards. */
  send(packet: Buffer): boolean;
  /** Does what is due, and says when to call again, by `performance.now`. */
  check(now: number): number;
  /** When something genuine came last. */
  heardAt(): number;
  /** Says nothing more, and still takes packets that are on their way; closes after a while. */
  drain(): void;
  /** `silently`: the gateway hears nothing of it. */
  close(how?: 'silently'): void;
  readonly counters: Readonly<DtlsCounters>;
}

type State =
  | { at: 'handshake' }
  /** `size`: the index of the probed one; `tries`: how often that was probed. */
  | { at: 'probing'; size: number; tries: number; askedAt: number }
  /** `unanswered`: since when something was sent and nothing has come back. */
  | { at: 'carrying'; unanswered: number | undefined; askedAt: number; sizeCheck: SizeCheck | undefined }
  | { at: 'silent'; since: number; askedAt: number }
  | { at: 'draining' }
  | { at: 'closed' };

/** The identity that goes with PSK-NEGOTIATE (draft-mavrogiannopoulos-openconnect-04 §2.3). */
const identity = 'psk';

const minFirstTimeoutMs = 400;
const triesForSize = 3;
const silentAskMs = 1_000;
/** For as long, packets may still be on their way after the last one was sent. */
const drainMs = 3_000;
/** After so long, a new handshake is worth more than waiting. */
const maxSilenceMs = 10_000;
/** More than these may get lost: programs send what matters again. */
const maxUnanswered = 32;

const dataKind = Buffer.from([packetKind.data]);
const nothing = Buffer.alloc(0);

export function createDtlsChannel(options: DtlsChannelOptions): DtlsChannel {
  const { listener, patience, mtu, keepAliveMs = Infinity } = options;
  const sizes = probeSizes(mtu);
  let state: State = { at: 'handshake' };
  const openedAt = performance.now();
  let heardAt = openedAt;
  let sentAt = openedAt;
  let dataSentAt = -Infinity;
  /** Whether its answers are as large as what they answer. */
  let answersInFull = false;
  let unanswered: Buffer[] = [];
  /** Has the connection from the end of the handshake on, where there is one. */
  let fast: FastWay | undefined;

  const datagrams = options.openDatagrams({
    onDatagram(datagram) {
      const rest = fast ? datagram : client.receive(datagram);
      if (rest) fast?.received(rest);
    },
    // The system knows that a datagram did not arrive. Others may, and if not, that is noticed as their silence.
    onError: () => undefined,
  });
  const client: DtlsClient = createDtlsClient({
    key: options.key,
    identity,
    sessionId: options.sessionId,
    firstTimeoutMs: Math.max(minFirstTimeoutMs, patience.askAfterMs),
    send: (datagram) => datagrams.send(datagram),
    onConnected(suite) {
      state = { at: 'probing', size: 0, tries: 0, askedAt: -Infinity };
      if (datagrams.takeOver) fast = takeOver(datagrams.takeOver.bind(datagrams));
      listener.onEncryption(suite);
      probe(performance.now());
    },
    onData: take,
    onEnd: end,
  });

  function takeOver(give: NonNullable<DatagramPort['takeOver']>): FastWay {
    return give(
      { records: client.handOver(), mtu, askAfterMs: patience.askAfterMs },
      {
        onControl: (kind, payload) => state.at !== 'closed' && takePacket(kind, payload),
        onQuiet: () => listener.onDue(),
        onEnd: end,
      },
    );
  }

  const lastHeardAt = () => Math.max(heardAt, fast?.heardAt() ?? -Infinity);
  const lastSentAt = () => Math.max(sentAt, fast?.sentAt() ?? -Infinity);
  const lastDataSentAt = () => Math.max(dataSentAt, fast?.sentAt() ?? -Infinity);

  /** Since when something was sent and nothing has come back. */
  function unansweredSince(carrying: Extract<State, { at: 'carrying' }>): number | undefined {
    if (!fast) return carrying.unanswered;
    const own = carrying.unanswered;
    const isOpen = own !== undefined && own > lastHeardAt();
    const data = fast.unansweredAt();
    return isOpen ? Math.min(own, data ?? Infinity) : data;
  }

  function end(why: DtlsChannelEnd): void {
    const wasOver = state.at === 'closed' || state.at === 'draining';
    close(wasOver ? 'silently' : undefined);
    if (!wasOver) listener.onEnd(why);
  }

  function close(how?: 'silently'): void {
    const was = state;
    state = { at: 'closed' };
    client.close(how);
    if (was.at !== 'closed' && how !== 'silently') fast?.sayGoodbye();
    datagrams.close();
    unanswered = [];
  }

  function write(kind: number, payload: Uint8Array): void {
    sentAt = performance.now();
    if (fast) fast.write(kind, payload);
    else client.write(Buffer.from([kind]), payload);
  }

  /** Asks for an answer of the same size. */
  function ask(bytes: number): void {
    write(packetKind.dpdRequest, bytes === 0 ? nothing : Buffer.alloc(bytes));
  }

  function probe(now: number): void {
    if (state.at !== 'probing') return;
    if (state.tries === triesForSize) state = { ...state, size: state.size + 1, tries: 0 };
    const bytes = sizes[state.size];
    if (bytes === undefined) return end('nothing passes');
    state = { ...state, tries: state.tries + 1, askedAt: now };
    ask(bytes);
  }

  function take(content: Buffer): void {
    takePacket(content[0] ?? packetKind.keepAlive, content.subarray(1));
  }

  function takePacket(kind: number, payload: Buffer): void {
    if (state.at === 'draining' && kind !== packetKind.data) return;
    heardAt = performance.now();
    if (state.at === 'carrying' && state.unanswered !== undefined) {
      state = { ...state, unanswered: undefined };
      unanswered = [];
    }
    switch (kind) {
      case packetKind.data:
        if (payload.length > 0) listener.onPacket(payload);
        break;
      case packetKind.dpdRequest:
        write(packetKind.dpdAnswer, payload);
        break;
      case packetKind.dpdAnswer:
        takeAnswer(payload.length);
        break;
      case packetKind.disconnect:
      case packetKind.terminate:
        end('closed by the gateway');
        break;
      default:
    }
  }

  function takeAnswer(bytes: number): void {
    if (state.at === 'silent') return carry();
    if (state.at === 'carrying') state.sizeCheck?.takeAnswer(bytes, performance.now());
    if (state.at !== 'probing') return;
    // Some gateways answer with less than they were asked with (bjdgyc/anylink pull request 285): then the smallest
    // question that was asked has arrived.
    const asked = sizes.slice(0, state.size + 1);
    const passed = asked.find((size) => size === bytes) ?? asked.at(-1) ?? 0;
    answersInFull = bytes === mtu;
    if (passed === mtu) return carry();
    close('silently');
    listener.onSmallerPath(passed);
  }

  function carry(): void {
    const begunAt = performance.now();
    const sizeCheck = answersInFull
      ? createSizeCheck({ mtu, askAfterMs: patience.askAfterMs, begunAt, ask })
      : undefined;
    state = { at: 'carrying', unanswered: undefined, askedAt: -Infinity, sizeCheck };
    fast?.carry(true);
    listener.onCarrying();
  }

  function checkSize(now: number, { sizeCheck }: Extract<State, { at: 'carrying' }>): number {
    if (!sizeCheck) return Infinity;
    const { smaller, next } = sizeCheck.check(now, lastDataSentAt());
    if (smaller !== undefined) listener.onSmallerPath(smaller);
    return next;
  }

  function checkCarrying(now: number, carrying: Extract<State, { at: 'carrying' }>): number {
    const keepAliveAt = lastSentAt() + keepAliveMs;
    if (now >= keepAliveAt) write(packetKind.keepAlive, nothing);
    const since = unansweredSince(carrying);
    const verdict = judgePeer(patience, now, {
      unansweredSince: since,
      askedAt: carrying.askedAt,
      heardAt: lastHeardAt(),
      dataSentAt: Math.max(openedAt, lastDataSentAt()),
    });
    switch (verdict.kind) {
      case 'quiet':
        return Math.min(verdict.until, lastSentAt() + keepAliveMs);
      case 'awaited':
        return verdict.until;
      case 'to-ask':
        state = { ...carrying, ...(since === undefined && { unanswered: now }), askedAt: now };
        ask(0);
        return verdict.until;
      case 'dead':
        fallSilent(now);
        return now + silentAskMs;
      default:
        return verdict satisfies never;
    }
  }

  function fallSilent(now: number): void {
    state = { at: 'silent', since: now, askedAt: now };
    const lost = unanswered;
    unanswered = [];
    ask(0);
    listener.onSilent(lost);
    // They come back by the device, and find this channel silent.
    fast?.carry(false, 'repeats');
  }

  client.start();
  return {
    counters: client.counters,
    heardAt: lastHeardAt,
    send(packet) {
      if (state.at !== 'carrying') return false;
      // Larger ones are of a time when the MTU was larger; TLS carries them.
      if (packet.length > mtu) return false;
      if (fast) {
        write(packetKind.data, packet);
        dataSentAt = sentAt;
        return true;
      }
      if (!client.write(dataKind, packet)) return false;
      sentAt = performance.now();
      dataSentAt = sentAt;
      if (state.unanswered === undefined) state = { ...state, unanswered: sentAt };
      if (unanswered.length < maxUnanswered) unanswered.push(packet);
      return true;
    },
    check(now) {
      switch (state.at) {
        case 'handshake':
        case 'draining':
        case 'closed':
          return Infinity;
        case 'probing': {
          const dueAt = state.askedAt + patience.askAfterMs;
          if (now >= dueAt) probe(now);
          return Math.max(dueAt, now + patience.askAfterMs);
        }
        case 'carrying':
          return Math.min(checkCarrying(now, state), checkSize(now, state));
        case 'silent':
          if (now >= state.since + maxSilenceMs) {
            end('silent');
            return Infinity;
          }
          if (now >= state.askedAt + silentAskMs) {
            state = { ...state, askedAt: now };
            ask(0);
          }
          return state.askedAt + silentAskMs;
        default:
          return state satisfies never;
      }
    },
    drain() {
      // A handshake is nothing but what it sends.
      if (state.at === 'handshake') return close('silently');
      fast?.carry(false);
      state = { at: 'draining' };
      setTimeout(() => close('silently'), drainMs).unref();
    },
    close,
  };
}

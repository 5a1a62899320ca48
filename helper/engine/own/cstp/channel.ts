import type { Duplex } from 'node:stream';
import { cutText } from '#shared/cut-text.ts';
import { maxGoodbyeChars } from '#shared/tunnel/state.ts';
import { shownLine } from '#shared/unseen-characters.ts';
import { createHeadReader } from './answer-head.ts';
import { readConnectAnswer, type ConnectAnswer } from './connect-answer.ts';
import { connectRequest, type ConnectRequest } from './connect-request.ts';
import { createPacketReader, framePacket, packetKind } from '#node/anyconnect/cstp/packet.ts';
import { textIn } from './sent-text.ts';

/** What became of the request for a tunnel. */
export type ConnectOutcome =
  | { kind: 'granted'; answer: ConnectAnswer }
  /**
   * The gateway's status, such as 401 for a session that has ended, and what it says beside it: all of that for the log,
   * and `text`, which is meant for people (`X-Reason`).
   */
  | { kind: 'refused'; status: number; reason: string; text: string }
  /** Its answer cannot be used, or there is none. */
  | { kind: 'unusable'; why: string }
  | { kind: 'closed'; why: string; error?: Error };

/** Why the channel carries no packets any more. */
export type ChannelEnd =
  /** The gateway said goodbye: the session may be over, or the gateway. */
  | { kind: 'goodbye'; final: boolean; text: string }
  | { kind: 'fault'; why: string }
  | { kind: 'closed'; why: string; error?: Error };

/** CSTP over a TLS connection. */
export interface CstpChannel {
  /** Asks for a tunnel, once; nothing is sent until its answer. */
  connect(request: ConnectRequest): Promise<ConnectOutcome>;
  /**
   * False if the packet was not sent, as nobody waits for one. Other packets than data are only left out where very
   * many wait: those of a gateway that asks for answers without end, and does not read them.
   */
  send(kind: number, payload: Uint8Array): boolean;
  /** Whether packets wait because the connection is slower than their sender; `onRoom` tells when none does. */
  isBusy(): boolean;
  /** Says goodbye, which ends the session at the gateway, and closes. Resolves when it is sent, or cannot be. */
  leave(): Promise<void>;
  /** Closes without a word: the session can be taken up again. */
  close(): void;
}

export interface ChannelListener {
  onPacket(kind: number, payload: Buffer): void;
  /** It is not busy any more. */
  onRoom?(): void;
  /** Told once, after the tunnel was granted, unless this end closed it. */
  onEnd(end: ChannelEnd): void;
}

/**
 * A queue of packets for a connection that is slower than their senders; longer ones only delay all of them. Who keeps
 * packets until there is a connection keeps as many.
 */
export const maxQueued = 256;
const maxQueuedOfAll = maxQueued + 128;

/** With so many, it is busy: whoever can keep packets had better do so. */
const busyFrom = 32;

/** The first byte of a goodbye, and what it says (draft-mavrogiannopoulos-openconnect-04 §3.1). */
const userRequest = Buffer.concat([Buffer.from([0xb0]), Buffer.from('user request')]);
const maxReasonChars = 200;

type State =
  | { at: 'open' }
  | { at: 'asked'; settle: (outcome: ConnectOutcome) => void }
  | { at: 'granted' }
  | { at: 'closed' };

export function createCstpChannel(socket: Duplex, listener: ChannelListener): CstpChannel {
  let state: State = { at: 'open' };
  const readHead = createHeadReader();
  const reader = createPacketReader();
  const queue: { packet: Buffer; sent?: () => void }[] = [];
  let isWriting = false;
  let wasBusy = false;

  function end(by: ChannelEnd): void {
    const was = state;
    state = { at: 'closed' };
    socket.destroy();
    for (const { sent } of queue.splice(0)) sent?.();
    if (was.at === 'granted') listener.onEnd(by);
    if (was.at !== 'asked') return;
    const error = by.kind === 'closed' ? by.error : undefined;
    was.settle({
      kind: 'closed',
      why: by.kind === 'goodbye' ? 'goodbye' : by.why,
      ...(error && { error }),
    });
  }

  function take(bytes: Buffer): void {
    if (state.at === 'asked') return takeHead(bytes, state.settle);
    if (state.at === 'granted') return takePackets(bytes);
    // Nobody has asked it anything.
    if (state.at === 'open') end({ kind: 'fault', why: 'it speaks first' });
  }

  function takeHead(bytes: Buffer, settle: (outcome: ConnectOutcome) => void): void {
    const read = readHead(bytes);
    if (read.kind === 'incomplete') return;
    const giveUp = (outcome: ConnectOutcome) => {
      state = { at: 'closed' };
      socket.destroy();
      settle(outcome);
    };
    if (read.kind === 'refused') return giveUp({ kind: 'unusable', why: read.why });
    const { status, reason, headers } = read.head;
    if (status !== 200) {
      const why = headers.get('x-reason') ?? [];
      const said = [reason, ...why].filter((part) => part !== '');
      const text = shownText(Buffer.from(why.join(' '), 'latin1'));
      return giveUp({ kind: 'refused', status, reason: printable(said.join(': ')), text });
    }
    const answer = readConnectAnswer(read.head);
    if (!answer.ok) return giveUp({ kind: 'unusable', why: answer.why });
    state = { at: 'granted' };
    settle({ kind: 'granted', answer: answer.answer });
    if (read.rest.length === 0) return;
    // Whoever asked hears of the answer, and has done what follows from it, before the packets that came with it.
    socket.pause();
    socket.unshift(read.rest);
    setImmediate(() => socket.resume());
  }

  function takePackets(bytes: Buffer): void {
    const fault = reader.read(bytes, (kind, payload) => {
      if (state.at !== 'granted') return;
      if (kind === packetKind.disconnect || kind === packetKind.terminate)
        return end({
          kind: 'goodbye',
          final: kind === packetKind.terminate,
          text: shownText(payload.subarray(1)),
        });
      listener.onPacket(kind, payload);
    });
    if (fault) end({ kind: 'fault', why: fault });
  }

  /**
   * One write at a time: Node joins those that wait into one TLS record, and ocserv ends a session in which a record is
   * anything else than one packet.
   */
  function writeNext(): void {
    const next = state.at === 'closed' ? undefined : queue.shift();
    isWriting = next !== undefined;
    if (wasBusy && queue.length < busyFrom) {
      wasBusy = false;
      listener.onRoom?.();
    }
    if (!next) return;
    socket.write(next.packet, () => {
      next.sent?.();
      writeNext();
    });
  }

  function enqueue(packet: Buffer, sent?: () => void): void {
    queue.push({ packet, ...(sent && { sent }) });
    if (!isWriting) writeNext();
  }

  socket.on('data', take);
  // One that was held was paused.
  socket.resume();
  socket.on('error', (error) => end({ kind: 'closed', why: error.message, error }));
  socket.on('end', () => end({ kind: 'closed', why: 'ended' }));
  socket.on('close', () => end({ kind: 'closed', why: 'closed' }));

  return {
    connect(request) {
      if (state.at !== 'open') return Promise.resolve({ kind: 'closed', why: 'not open' });
      return new Promise((settle) => {
        state = { at: 'asked', settle };
        enqueue(Buffer.from(connectRequest(request), 'latin1'));
      });
    },
    send(kind, payload) {
      if (state.at !== 'granted') return false;
      if (queue.length >= (kind === packetKind.data ? maxQueued : maxQueuedOfAll)) return false;
      enqueue(framePacket(kind, payload));
      return true;
    },
    isBusy() {
      wasBusy ||= state.at === 'granted' && queue.length >= busyFrom;
      return wasBusy;
    },
    async leave() {
      if (state.at === 'granted')
        await new Promise<void>((resolve) =>
          enqueue(framePacket(packetKind.disconnect, userRequest), resolve),
        );
      state = { at: 'closed' };
      socket.end();
    },
    close() {
      state = { at: 'closed' };
      socket.destroy();
    },
  };
}

/** What a gateway has written for people. */
const shownText = (bytes: Buffer) => cutText(shownLine(textIn(bytes)), maxGoodbyeChars);

const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '').slice(0, maxReasonChars);

import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { packetKind } from '../cstp/packet.ts';
import type { CipherSuite } from '../dtls/cipher-suites.ts';
import { contentType, headerBytes, overheadOf, tagBytes, version } from '../dtls/record.ts';
import { createReplayWindow, type ReplayWindow } from '../dtls/replay-window.ts';
import { createArena } from './arena.ts';
import { createCutter } from './cutter.ts';
import {
  createDatagramSocket,
  createSocketPollSet,
  maxSegments,
  maxSendBytes,
  type DatagramSocket,
} from './datagram-socket.ts';
import { deviceRoom, isGone, openOffloadDevice, type OffloadDevice } from './device.ts';
import { createJoiner } from './joiner.ts';
import { chooseCipherStep, knownSuite } from './known-answers.ts';
import {
  clock,
  maxWaiting,
  monotonicMs,
  type DataPathLimits,
  type FromDataPath,
  type TakeOver,
  type ToDataPath,
} from './messages.ts';
import { loadOpenssl } from './openssl-cipher.ts';
import type { RecordOpenerInPlace, RecordSealerInPlace } from './record-cipher.ts';
import { createPollSet, createReceiveSlots, createSystemCalls, pollIn, slotBytes } from './system-calls.ts';

/** What the thread gets when it starts. */
export interface DataPathStart {
  port: MessagePort;
  /** One number: how many packets of the device wait for the main thread. */
  waiting: SharedArrayBuffer;
  limits: DataPathLimits;
}

/** The keys of a channel that has shaken hands. */
interface Secured {
  suite: CipherSuite;
  sealer: RecordSealerInPlace;
  opener: RecordOpenerInPlace;
  window: ReplayWindow;
  sequence: number;
  /** Where the kind of the packet is in a record. */
  begin: number;
  mtu: number;
  askAfterMs: number;
}

interface Channel {
  readonly number: number;
  readonly socket: DatagramSocket;
  readonly clock: BigInt64Array;
  secured: Secured | undefined;
  isRetired: boolean;
  /** When something was sent that has not been answered, and whether that was told. */
  unansweredAt: number;
  isQuietTold: boolean;
}

const receiveSlots = 8;
/** How many packets and bytes are read before something else gets its turn: who pings does not wait for a whole queue. */
const maxReads = 64;
const maxReadBytes = 256 * 1024;
/** More than these may get lost, and larger ones: programs send what matters again. */
const maxUnanswered = 32;
const maxUnansweredBytes = 2_048;
/** Sequence numbers have 48 bits; long before that, new keys are due. */
const maxSequence = 2 ** 47;
/** While much comes, so short a pause lets more come at once. */
const pauseMicroseconds = 50;
const pauseAfter = 3;
/** The kinds of packets that anybody understands fit; and records up to the largest packet. */
const batchBytes = maxSendBytes + 2 * slotBytes;
const kindBytes = 1;
const maxChannels = 16;
const fatal = 2;
const closeNotify = [1, 0] as const;
const pollError = 0x08 | 0x10 | 0x20;

/** Carries packets until it is stopped; nothing else happens on its thread. */
export function runDataPath({ port, waiting, limits }: DataPathStart): void {
  const tell = (message: FromDataPath, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
  const arena = createArena(
    (receiveSlots + 8 + 1) * (slotBytes + 64) +
      batchBytes +
      deviceRoom +
      maxUnanswered * maxUnansweredBytes +
      slotBytes,
  );
  const { bytes, view } = arena;
  const calls = createSystemCalls(arena);
  const openssl = (() => {
    try {
      return loadOpenssl(arena);
    } catch {
      // An OpenSSL that is not exported.
      return undefined;
    }
  })();
  const { step: cipherStep, ciphers } = chooseCipherStep(arena, openssl, limits.cipher);
  const waker = calls.openWaker();
  if (waker < 0) throw new Error(`no eventfd: errno ${-waker}`);
  const waitingCount = new Int32Array(waiting);

  const input = arena.take(deviceRoom);
  const output = arena.take(batchBytes);
  const small = arena.take(64);
  /** The first of what the carrier has sent and nobody has answered, and their lengths. */
  const unanswered = arena.take(maxUnanswered * maxUnansweredBytes);
  const unansweredLengths: number[] = [];
  const slots = createReceiveSlots(arena, receiveSlots);
  const poll = createPollSet(arena, maxChannels + 2);
  const socketPoll = createSocketPollSet(arena);
  const cutter = createCutter(bytes, view);
  const joiner = createJoiner(arena, (at, length) => device?.write(at, length));

  const channels = new Map<number, Channel>();
  let device: OffloadDevice | undefined;
  let carrier: Channel | undefined;
  let passes = false;
  let isRunning = true;
  let now = monotonicMs();
  const told = new Set<string>();

  function note(text: string): void {
    if (told.size < 32 && !told.has(text)) tell({ tells: 'note', text });
    told.add(text);
  }

  // To the gateway

  /** Records that wait to be sent together: where they begin and end, and the size of all but the last. */
  const batch = { begin: output, end: output, size: 0, count: 0 };

  function flushBatch(channel: Channel): void {
    if (batch.count > 0) channel.socket.sendMany(batch.begin, batch.end - batch.begin, batch.size);
    batch.begin = output;
    batch.end = output;
    batch.count = 0;
  }

  function addToBatch(channel: Channel, length: number): void {
    if (batch.count > 0 && length > batch.size) {
      // It is behind those, and begins a batch of its own.
      const at = batch.end;
      channel.socket.sendMany(batch.begin, at - batch.begin, batch.size);
      batch.begin = at;
      batch.end = at;
      batch.count = 0;
    }
    if (batch.count === 0) batch.size = length;
    batch.end += length;
    batch.count += 1;
    const isFull = batch.count === maxSegments || batch.end - batch.begin + batch.size > maxSendBytes;
    if (length < batch.size || isFull) flushBatch(channel);
  }

  /** Seals a record whose content is there; its length, or 0 when the keys are used up. */
  function seal(secured: Secured, record: number, type: number, contentLength: number): number {
    if (secured.sequence >= maxSequence) return 0;
    const { sequence, suite } = secured;
    secured.sequence += 1;
    view.setUint8(record, type);
    view.setUint16(record + 1, version);
    view.setUint16(record + 3, 1);
    view.setUint16(record + 5, Math.floor(sequence / 2 ** 32));
    view.setUint32(record + 7, sequence >>> 0);
    const length = overheadOf(suite) + contentLength;
    view.setUint16(record + 11, length - headerBytes);
    return secured.sealer.seal(record, contentLength) ? length : 0;
  }

  function usedUp(channel: Channel): void {
    if (channel.isRetired) return;
    retire(channel);
    tell({ tells: 'ended', channel: channel.number, why: 'used up' });
  }

  /** Packets of the device, of which `input` has the first with its header. */
  function sendFromDevice(channel: Channel, secured: Secured): void {
    const { begin, mtu } = secured;
    const largest = begin + kindBytes + cutter.largest + tagBytes;
    if (cutter.largest > mtu) {
      // What waits is where it would be written.
      flushBatch(channel);
      return giveToMain();
    }
    for (;;) {
      if (batch.end + largest > output + batchBytes) flushBatch(channel);
      const record = batch.end;
      const packet = record + begin + kindBytes;
      const length = cutter.next(packet);
      if (length === 0) return;
      keep(packet, length);
      view.setUint8(record + begin, packetKind.data);
      const sealed = seal(secured, record, contentType.applicationData, kindBytes + length);
      if (sealed === 0) return usedUp(channel);
      addToBatch(channel, sealed);
      hasSent = true;
    }
  }

  function keep(packet: number, length: number): void {
    const count = unansweredLengths.length;
    if (count === maxUnanswered || length > maxUnansweredBytes) return;
    bytes.copyWithin(unanswered + count * maxUnansweredBytes, packet, packet + length);
    unansweredLengths.push(length);
  }

  function giveToMain(): void {
    const packets: Uint8Array[] = [];
    for (let length = cutter.next(output); length > 0; length = cutter.next(output))
      packets.push(bytes.slice(output, output + length));
    giveAll(packets);
  }

  function giveAll(packets: readonly Uint8Array[]): void {
    if (packets.length === 0) return;
    const lengths = packets.map((packet) => packet.length);
    const all = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
    let at = 0;
    for (const packet of packets) {
      all.set(packet, at);
      at += packet.length;
    }
    Atomics.add(waitingCount, 0, packets.length);
    tell({ tells: 'packets', bytes: all, lengths }, [all.buffer]);
  }

  const isMainBusy = () => Atomics.load(waitingCount, 0) >= maxWaiting;

  let hasSent = false;

  function fromDevice(): void {
    const channel = carrier;
    hasSent = false;
    let total = 0;
    for (let count = 0; device && count < maxReads && total < maxReadBytes; count += 1) {
      const length = device.read(input);
      if (length <= 0) {
        if (isGone(length)) deviceGone(`errno ${-length}`);
        break;
      }
      total += length;
      // What has no end that could be known is dropped.
      if (!cutter.begin(input, length)) {
        note('a packet of the device cannot be cut');
        continue;
      }
      if (channel?.secured && passes && !channel.isRetired) sendFromDevice(channel, channel.secured);
      else giveToMain();
      if (isMainBusy()) break;
    }
    if (!channel) return;
    flushBatch(channel);
    if (hasSent) sent(channel);
  }

  function deviceGone(why: string): void {
    device = undefined;
    tell({ tells: 'device-ended', why });
  }

  function sent(channel: Channel): void {
    now = monotonicMs();
    set(channel, clock.sentAt, now);
    if (channel.unansweredAt > 0) return;
    channel.unansweredAt = now;
    channel.isQuietTold = false;
    set(channel, clock.unansweredAt, now);
  }

  const set = (channel: Channel, index: number, time: number) =>
    Atomics.store(channel.clock, index, BigInt(Math.ceil(time)));

  // From the gateway

  let heard = false;

  function takeRecord(channel: Channel, secured: Secured, record: number, length: number): void {
    const type = view.getUint8(record);
    if (view.getUint16(record + 3) !== 1) return;
    const sequence = view.getUint16(record + 5) * 2 ** 32 + view.getUint32(record + 7);
    if (!secured.window.isFresh(sequence)) return;
    const content = secured.opener.open(record, length);
    if (content < 0) return;
    secured.window.accept(sequence);
    heard = true;
    const at = record + secured.begin;
    if (type === contentType.applicationData && content > 0) {
      const kind = view.getUint8(at);
      if (kind !== packetKind.data)
        tell({ tells: 'control', channel: channel.number, kind, payload: bytes.slice(at + 1, at + content) });
      else if (passes && content > kindBytes && device) takePacket(at + kindBytes, content - kindBytes);
    } else if (type === contentType.alert && content === 2) {
      const isClosed = view.getUint8(at + 1) === closeNotify[1];
      if (!isClosed && view.getUint8(at) !== fatal) return;
      retire(channel);
      tell({ tells: 'ended', channel: channel.number, why: isClosed ? 'closed by the gateway' : 'alert' });
    }
  }

  function takePacket(packet: number, length: number): void {
    if (device?.takesJoined === true) return joiner.add(packet, length);
    bytes.fill(0, packet - 10, packet);
    device?.write(packet - 10, length + 10);
  }

  function takeDatagram(channel: Channel, begin: number, length: number): void {
    const { secured } = channel;
    if (channel.isRetired) return;
    if (!secured) {
      tell({
        tells: 'datagram',
        channel: channel.number,
        datagram: bytes.slice(begin, begin + length),
      });
      return;
    }
    for (let at = begin; at + headerBytes <= begin + length;) {
      const end = at + headerBytes + view.getUint16(at + 11);
      if (end > begin + length || view.getUint16(at + 1) >> 8 !== 0xfe) return;
      takeRecord(channel, secured, at, end - at);
      if (channel.isRetired) return;
      at = end;
    }
  }

  function fromSocket(channel: Channel): number {
    heard = false;
    const count = channel.socket.receive((at, length) => takeDatagram(channel, at, length));
    joiner.flush();
    if (heard) heardFrom(channel);
    return count;
  }

  function heardFrom(channel: Channel): void {
    now = monotonicMs();
    set(channel, clock.heardAt, now);
    if (channel === carrier && channel.unansweredAt !== 0) forgetUnanswered(channel);
  }

  function forgetUnanswered(channel: Channel): void {
    channel.unansweredAt = 0;
    unansweredLengths.length = 0;
    set(channel, clock.unansweredAt, 0);
  }

  // From the main thread

  function take(message: ToDataPath): void {
    if (message.do === 'stop') {
      isRunning = false;
      return;
    }
    if (message.do === 'device') {
      return takeDevice(message.descriptor);
    }
    if (message.do === 'pass') {
      passes = message.passes;
      return;
    }
    if (message.do === 'open') return open(message);
    const channel = channels.get(message.channel);
    if (!channel) return;
    switch (message.do) {
      case 'send':
        return sendAsIs(channel, message.datagram);
      case 'take-over':
        return takeOver(channel, message.takeOver);
      case 'received':
        return received(channel, message.datagram);
      case 'write':
        return write(channel, contentType.applicationData, [message.kind], message.payload);
      case 'say-goodbye':
        return write(channel, contentType.alert, closeNotify, new Uint8Array());
      case 'carry':
        return carry(channel, message.carries, message.repeats);
      case 'retire':
        return retire(channel);
      case 'close':
        return close(channel);
      default:
        message satisfies never;
    }
  }

  function takeDevice(descriptor: number): void {
    try {
      device = openOffloadDevice(arena, calls, descriptor, limits.offload);
      tell({ tells: 'device', hasHeader: device.hasHeader });
      note(device.step);
    } catch (error) {
      deviceGone(messageOf(error));
    }
  }

  function open({
    channel: number,
    address,
    port: to,
    clock: shared,
  }: Extract<ToDataPath, { do: 'open' }>): void {
    // As if nobody answered: there may be a way later.
    if (channels.size >= maxChannels) return note('too many channels');
    let socket: DatagramSocket;
    try {
      socket = createDatagramSocket(arena, calls, socketPoll, {
        place: { address, port: to },
        limits,
        slots,
        onWaiting: () => void (carrier && fromSocket(carrier)),
        onStep: note,
      });
    } catch (error) {
      return note(messageOf(error));
    }
    channels.set(number, {
      number,
      socket,
      clock: new BigInt64Array(shared),
      secured: undefined,
      isRetired: false,
      unansweredAt: 0,
      isQuietTold: false,
    });
  }

  function sendAsIs({ socket }: Channel, datagram: Uint8Array): void {
    if (datagram.length > slotBytes) return;
    bytes.set(datagram, output);
    socket.send(output, datagram.length);
  }

  function takeOver(channel: Channel, given: TakeOver): void {
    if (channel.secured) return;
    const { client, server, sequence, seen } = given.records;
    const suite = knownSuite(given.suite);
    const first = Buffer.alloc(8);
    first.writeUInt16BE(1, 0);
    first.writeUIntBE(sequence, 2, 6);
    const window = createReplayWindow();
    for (const number of seen) if (window.isFresh(number)) window.accept(number);
    channel.secured = {
      suite,
      sealer: ciphers.sealer(suite, client, first),
      opener: ciphers.opener(suite, server),
      window,
      sequence,
      begin: headerBytes + suite.explicitNonceBytes,
      mtu: given.mtu,
      askAfterMs: given.askAfterMs,
    };
    // OpenSSL has copies of its own.
    client.key.fill(0);
    server.key.fill(0);
  }

  function received(channel: Channel, datagram: Uint8Array): void {
    if (datagram.length > slotBytes) return;
    const at = slots.slotAt(0);
    bytes.set(datagram, at);
    heard = false;
    takeDatagram(channel, at, datagram.length);
    joiner.flush();
    if (heard) heardFrom(channel);
  }

  function write(channel: Channel, type: number, first: readonly number[], payload: Uint8Array): void {
    const { secured, isRetired } = channel;
    if (!secured || isRetired || payload.length > slotBytes) return;
    bytes.set(first, output + secured.begin);
    bytes.set(payload, output + secured.begin + first.length);
    const sealed = seal(secured, output, type, first.length + payload.length);
    if (sealed === 0) return usedUp(channel);
    channel.socket.send(output, sealed);
  }

  function carry(channel: Channel, carries: boolean, repeats: boolean): void {
    if (carries) {
      if (carrier) forgetUnanswered(carrier);
      carrier = channel.isRetired ? undefined : channel;
      return;
    }
    if (carrier !== channel) return;
    carrier = undefined;
    // They may not have arrived; whoever carries packets now does so with these first.
    if (repeats)
      giveAll(
        unansweredLengths.map((length, index) => {
          const at = unanswered + index * maxUnansweredBytes;
          return bytes.slice(at, at + length);
        }),
      );
    forgetUnanswered(channel);
  }

  function retire(channel: Channel): void {
    channel.isRetired = true;
    if (carrier === channel) {
      forgetUnanswered(channel);
      carrier = undefined;
    }
    channel.secured?.sealer.free();
    channel.secured?.opener.free();
    channel.secured = undefined;
  }

  function close(channel: Channel): void {
    retire(channel);
    channel.socket.close();
    channels.delete(channel.number);
  }

  // Waiting

  function want(descriptor: number, events: number): void {
    const at = poll.at + 8 * poll.count;
    view.setInt32(at, descriptor, true);
    view.setInt16(at + 4, events, true);
    view.setInt16(at + 6, 0, true);
    poll.count += 1;
  }

  const answerOf = (index: number) => view.getInt16(poll.at + 8 * index + 6, true);

  /** How long nobody has to be told anything. */
  function timeLeft(): number {
    if (!carrier || carrier.unansweredAt === 0 || carrier.isQuietTold) return -1;
    const left = carrier.unansweredAt + (carrier.secured?.askAfterMs ?? 0) - monotonicMs();
    return Math.max(0, Math.ceil(left));
  }

  function tellQuiet(): void {
    if (!carrier || timeLeft() !== 0) return;
    carrier.isQuietTold = true;
    tell({ tells: 'quiet', channel: carrier.number });
  }

  tell({ tells: 'ready', waker, cipher: cipherStep });
  let polled: Channel[] = [];
  while (isRunning) {
    poll.count = 0;
    want(waker, pollIn);
    // One that is not asked for says at once when it is gone.
    if (device) want(device.descriptor, isMainBusy() ? 0 : pollIn);
    const first = poll.count;
    polled = [];
    for (const channel of channels.values())
      if (!channel.isRetired) {
        want(channel.socket.descriptor, pollIn);
        polled.push(channel);
      }
    calls.poll(poll, timeLeft());
    if (answerOf(0) !== 0) {
      calls.read(waker, small, 8);
      for (let next = receiveMessageOnPort(port); next; next = receiveMessageOnPort(port))
        take(next.message as ToDataPath);
    }
    let count = 0;
    for (const [index, channel] of polled.entries())
      if (answerOf(first + index) !== 0 && channels.has(channel.number)) count += fromSocket(channel);
    if (first > 1) {
      const answer = answerOf(1);
      if ((answer & (pollIn | pollError)) !== 0) fromDevice();
    }
    tellQuiet();
    if (count > pauseAfter) calls.sleepMicroseconds(pauseMicroseconds);
  }
  for (const channel of channels.values()) close(channel);
  calls.close(waker);
  tell({ tells: 'stopped' });
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : 'unknown');

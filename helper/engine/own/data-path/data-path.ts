import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { contentType } from '#node/anyconnect/dtls/record.ts';
import { createArena, type Arena } from './arena.ts';
import { createChannel, retireKeys, secure, setClock, type Channel } from './channel.ts';
import { createDeviceSide, deviceSideBytes, messageOf } from './device-side.ts';
import { chooseCipherStep } from './known-answers.ts';
import {
  clock,
  maxWaitingMessages,
  monotonicMs,
  waitingFor,
  type DataPathLimits,
  type FromDataPath,
  type ToDataPath,
} from './messages.ts';
import { loadOpenssl } from './openssl-cipher.ts';
import { createRecordReceiver } from './record-receiver.ts';
import { createRecordSender, senderBytes } from './record-sender.ts';
import {
  createDatagramSocket,
  createPollSet,
  createReceiveSlots,
  createSocketPollSet,
  createSystemCalls,
  pollIn,
  slotBytes,
  type DatagramSocket,
} from './this-system.ts';
import { createUnanswered, unansweredBytes } from './unanswered.ts';

/** What the thread gets when it starts. */
export interface DataPathStart {
  port: MessagePort;
  /** One number: how many packets of the device wait for the main thread. */
  waiting: SharedArrayBuffer;
  limits: DataPathLimits;
}

const receiveSlots = 8;
/** While much comes, so short a pause lets more come at once. */
const pauseMicroseconds = 50;
const maxWithoutPause = 3;
const maxChannels = 16;
const closeNotify = [1, 0] as const;
const pollError = 0x08 | 0x10 | 0x20;

const arenaBytes =
  (receiveSlots + 8 + 1) * (slotBytes + 64) + senderBytes + deviceSideBytes + unansweredBytes + slotBytes;

/** Carries packets until it is stopped; nothing else happens on its thread. */
export function runDataPath({ port, waiting, limits }: DataPathStart): void {
  const tell = (message: FromDataPath, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer);
  const counts = new Int32Array(waiting);
  const tellOfNetwork = (message: Extract<FromDataPath, { tells: 'control' | 'datagram' }>) => {
    if (Atomics.load(counts, waitingFor.messages) >= maxWaitingMessages) return;
    Atomics.add(counts, waitingFor.messages, 1);
    tell(message);
  };
  const arena = createArena(arenaBytes);
  const { bytes, view } = arena;
  const calls = createSystemCalls(arena);
  const { step: cipherStep, ciphers } = chooseCipherStep(arena, exportedOpenssl(arena), limits.cipher);
  const waker = calls.openWaker();
  if (waker < 0) throw new Error(`no eventfd: errno ${-waker}`);

  const small = arena.take(64);
  const slots = createReceiveSlots(arena, receiveSlots);
  const poll = createPollSet(arena, maxChannels + 2);
  const socketPoll = createSocketPollSet(arena);
  const unanswered = createUnanswered(arena);
  const sender = createRecordSender(arena);
  const device = createDeviceSide(arena, {
    calls,
    sender,
    limits,
    waiting,
    onSend: unanswered.keep,
    onUsedUp: (channel) => end(channel, 'used up'),
    tell,
    note,
  });
  const receiver = createRecordReceiver(arena, {
    onPacket: (at, length) => device.write(at, length),
    onControl: ({ number: channel }, kind, payload) =>
      tellOfNetwork({ tells: 'control', channel, kind, payload }),
    onEnd: (channel, why) => end(channel, why),
    onPlain: ({ number: channel }, datagram) => tellOfNetwork({ tells: 'datagram', channel, datagram }),
  });

  const channels = new Map<number, Channel>();
  let carrier: Channel | undefined;
  let isRunning = true;
  const told = new Set<string>();

  function note(text: string): void {
    if (told.size < 32 && !told.has(text)) tell({ tells: 'note', text });
    told.add(text);
  }

  function hasSent(channel: Channel): void {
    const now = monotonicMs();
    setClock(channel, clock.sentAt, now);
    if (channel.unansweredAt > 0) return;
    channel.unansweredAt = now;
    channel.isQuietTold = false;
    setClock(channel, clock.unansweredAt, now);
  }

  // From the gateway

  function fromSocket(channel: Channel): number {
    let isHeard = false;
    const count = channel.socket.receive((at, length) => {
      isHeard = receiver.take(channel, at, length) || isHeard;
    });
    device.flush();
    if (isHeard) heardFrom(channel);
    return count;
  }

  function heardFrom(channel: Channel): void {
    setClock(channel, clock.heardAt, monotonicMs());
    if (channel === carrier && channel.unansweredAt !== 0) forgetUnanswered(channel);
  }

  function forgetUnanswered(channel: Channel): void {
    channel.unansweredAt = 0;
    unanswered.forget();
    setClock(channel, clock.unansweredAt, 0);
  }

  function end(channel: Channel, why: 'closed by the gateway' | 'alert' | 'used up'): void {
    if (channel.isRetired) return;
    retire(channel);
    tell({ tells: 'ended', channel: channel.number, why });
  }

  // From the main thread

  function take(message: ToDataPath): void {
    switch (message.do) {
      case 'stop':
        isRunning = false;
        return;
      case 'device':
        return device.open(message.descriptor);
      case 'pass':
        return device.pass();
      case 'open':
        return open(message);
      case 'send':
      case 'take-over':
      case 'received':
      case 'write':
      case 'say-goodbye':
      case 'carry':
      case 'retire':
      case 'close': {
        const channel = channels.get(message.channel);
        if (channel) takeFor(channel, message);
        return;
      }
      default:
        message satisfies never;
    }
  }

  function takeFor(
    channel: Channel,
    message: Exclude<ToDataPath, { do: 'stop' | 'device' | 'pass' | 'open' }>,
  ) {
    switch (message.do) {
      case 'send':
        return sender.sendAsIs(channel, message.datagram);
      case 'take-over':
        channel.secured ??= secure(ciphers, message.takeOver);
        return;
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
    channels.set(number, createChannel(number, socket, shared));
  }

  function received(channel: Channel, datagram: Uint8Array): void {
    if (datagram.length > slotBytes) return;
    const at = slots.slotAt(0);
    bytes.set(datagram, at);
    const isHeard = receiver.take(channel, at, datagram.length);
    device.flush();
    if (isHeard) heardFrom(channel);
  }

  function write(channel: Channel, type: number, first: readonly number[], payload: Uint8Array): void {
    const { secured, isRetired } = channel;
    if (!secured || isRetired) return;
    const outcome = sender.write(channel, secured, type, first, payload);
    if (outcome === 'used up') end(channel, outcome);
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
    if (repeats) device.give(unanswered.all());
    forgetUnanswered(channel);
  }

  function retire(channel: Channel): void {
    retireKeys(channel);
    if (carrier !== channel) return;
    forgetUnanswered(channel);
    carrier = undefined;
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
    if (device.descriptor !== undefined) want(device.descriptor, device.events);
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
      const channel = carrier;
      if ((answer & (pollIn | pollError)) !== 0 && device.read(channel) && channel) hasSent(channel);
    }
    tellQuiet();
    if (count > maxWithoutPause) calls.sleepMicroseconds(pauseMicroseconds);
  }
  for (const channel of channels.values()) close(channel);
  calls.close(waker);
  tell({ tells: 'stopped' });
}

/** Undefined where Node's OpenSSL is not exported. */
function exportedOpenssl(arena: Arena) {
  try {
    return loadOpenssl(arena);
  } catch {
    return undefined;
  }
}

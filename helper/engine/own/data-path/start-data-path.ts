import { writeSync, writevSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Device } from '../process/device.ts';
import type { FastListener, FastWay, OpenDatagrams } from '../tunnel/datagram-port.ts';
import type { DataPathStart } from './data-path.ts';
import {
  bestLimits,
  clock,
  clockBytes,
  maxWaiting,
  monotonicMs,
  waitingBytes,
  waitingFor,
  type DataPathLimits,
  type FromDataPath,
  type ToDataPath,
} from './messages.ts';
import { virtioBytes } from './virtio-header.ts';

/** The data path on its thread, as the main thread has it. */
export interface DataPath {
  /**
   * Opens the device; `onPacket` gets the packets that no channel carries, and `isBusy` says whether any more can wait.
   */
  openDevice(options: DeviceOptions): FastDevice;
  datagramsTo(address: string, port: number): OpenDatagrams;
  /** Ends its thread. */
  stop(): Promise<void>;
}

export interface DeviceOptions {
  descriptor: number;
  onPacket(packet: Buffer): void;
  isBusy(): boolean;
  onEnd(error: Error): void;
}

export interface FastDevice extends Device {
  /** It is not busy any more. */
  resume(): void;
}

/**
 * A closed socket is kept for as long: where nobody listens, the gateway's datagrams are answered with errors (ICMP),
 * and those end ocserv's session.
 */
const lingerMs = 30_000;
/** Packets are not in its heap. */
const heapMb = 24;
const youngMb = 3;

interface ChannelListener {
  onDatagram(datagram: Buffer): void;
  fast: FastListener | undefined;
}

/**
 * Starts the thread by the program's file, which has to call `runDataPath` there; undefined if it cannot be had here,
 * and `onNote` is told why. `onFailed`: it has ended by itself.
 */
export async function startDataPath(options: {
  program: string | URL;
  limits?: DataPathLimits;
  onNote: (text: string) => void;
  onFailed: (error: Error) => void;
}): Promise<DataPath | undefined> {
  const { program, limits = bestLimits, onNote } = options;
  const { port1: port, port2 } = new MessageChannel();
  const waiting = new SharedArrayBuffer(waitingBytes);
  const waitingCount = new Int32Array(waiting);
  const start: DataPathStart = { port: port2, waiting, limits };
  const worker = new Worker(program, {
    workerData: start,
    transferList: [port2],
    resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngMb },
  });
  const channels = new Map<number, ChannelListener>();
  const stopped = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<number>();
  let device: (DeviceOptions & { hasHeader: boolean | undefined }) | undefined;
  let isReady = false;
  let isStopping = false;
  let lastChannel = 0;
  const fail = (error: Error) => {
    if (!isReady) ready.reject(error);
    else if (!isStopping) options.onFailed(error);
    stopped.resolve();
  };
  worker.once('error', fail);
  worker.once('exit', () => fail(new Error('the thread has ended')));
  port.on('message', take);

  let waker: number;
  try {
    waker = await ready.promise;
  } catch (error) {
    port.close();
    onNote(`the fast data path cannot be had: ${error instanceof Error ? error.message : 'unknown'}`);
    return undefined;
  }

  function take(message: FromDataPath): void {
    switch (message.tells) {
      case 'ready':
        isReady = true;
        onNote(`data path: cipher step ${message.cipher}`);
        return ready.resolve(message.waker);
      case 'note':
        return onNote(`data path: ${message.text}`);
      case 'datagram':
        Atomics.sub(waitingCount, waitingFor.messages, 1);
        return channels.get(message.channel)?.onDatagram(bufferOf(message.datagram));
      case 'control':
        Atomics.sub(waitingCount, waitingFor.messages, 1);
        return channels.get(message.channel)?.fast?.onControl(message.kind, bufferOf(message.payload));
      case 'quiet':
        return channels.get(message.channel)?.fast?.onQuiet();
      case 'ended':
        return channels.get(message.channel)?.fast?.onEnd(message.why);
      case 'packets':
        return takePackets(message.bytes, message.lengths);
      case 'device':
        if (device) device.hasHeader = message.hasHeader;
        return;
      case 'device-ended':
        return device?.onEnd(new Error(message.why));
      case 'stopped':
        return stopped.resolve();
      default:
        message satisfies never;
    }
  }

  function send(message: ToDataPath): void {
    if (isStopping) return;
    port.postMessage(message);
    writeSync(waker, wakeUp);
  }

  /** How many of the packets that were given to the main thread still wait there. */
  let taken = 0;

  function takePackets(bytes: Uint8Array, lengths: readonly number[]): void {
    let at = 0;
    for (const length of lengths) {
      device?.onPacket(bufferOf(bytes.subarray(at, at + length)));
      at += length;
    }
    taken += lengths.length;
    if (device?.isBusy() !== true) resume();
  }

  function resume(): void {
    if (taken === 0 || isStopping) return;
    const before = Atomics.sub(waitingCount, waitingFor.packets, taken);
    taken = 0;
    if (before >= maxWaiting) writeSync(waker, wakeUp);
  }

  return {
    openDevice(opened) {
      device = { ...opened, hasHeader: undefined };
      send({ do: 'device', descriptor: opened.descriptor });
      return {
        write(packet) {
          if (device?.hasHeader === undefined) return;
          try {
            writevSync(opened.descriptor, device.hasHeader ? [noOffload, packet] : [packet]);
          } catch {
            // What is no packet (EINVAL), or comes while the device is down (EIO), is dropped.
          }
        },
        pass: () => send({ do: 'pass' }),
        resume,
      };
    },
    datagramsTo: (address, to) => (listener) => {
      lastChannel += 1;
      const channel = lastChannel;
      const shared = new SharedArrayBuffer(clockBytes);
      const own: ChannelListener = {
        onDatagram: (datagram) => listener.onDatagram(datagram),
        fast: undefined,
      };
      channels.set(channel, own);
      send({ do: 'open', channel, address: addressBytes(address), port: to, clock: shared });
      return {
        send: (datagram) => send({ do: 'send', channel, datagram: copyOf(datagram) }),
        takeOver(given, fast) {
          own.fast = fast;
          const { suite, client, server, sequence, seen } = given.records;
          const keys = [client, server].map(({ key, iv }) => ({ key: copyOf(key), iv: copyOf(iv) }));
          send({
            do: 'take-over',
            channel,
            takeOver: {
              suite: suite.id,
              records: { client: keys[0] as never, server: keys[1] as never, sequence, seen },
              mtu: given.mtu,
              askAfterMs: given.askAfterMs,
            },
          });
          for (const { key, iv } of [client, server, ...keys]) for (const secret of [key, iv]) secret.fill(0);
          return fastWay(channel, shared, send);
        },
        close() {
          channels.delete(channel);
          send({ do: 'retire', channel });
          setTimeout(() => send({ do: 'close', channel }), lingerMs).unref();
        },
      };
    },
    async stop() {
      send({ do: 'stop' });
      isStopping = true;
      await stopped.promise;
      port.close();
      await worker.terminate();
    },
  };
}

function fastWay(channel: number, shared: SharedArrayBuffer, send: (message: ToDataPath) => void): FastWay {
  const times = new BigInt64Array(shared);
  /** In `performance.now`'s time. */
  const at = (index: number) => {
    const time = Number(Atomics.load(times, index));
    return time === 0 ? undefined : time - monotonicMs() + performance.now();
  };
  return {
    heardAt: () => at(clock.heardAt),
    sentAt: () => at(clock.sentAt),
    unansweredAt: () => at(clock.unansweredAt),
    received: (datagram) => send({ do: 'received', channel, datagram: copyOf(datagram) }),
    write: (kind, payload) => send({ do: 'write', channel, kind, payload: copyOf(payload) }),
    carry: (carries, how) => send({ do: 'carry', channel, carries, repeats: how === 'repeats' }),
    sayGoodbye: () => send({ do: 'say-goodbye', channel }),
  };
}

/** A number of eight bytes, for an eventfd. */
const wakeUp = new Uint8Array(new BigUint64Array([1n]).buffer);
const noOffload = Buffer.alloc(virtioBytes);

const bufferOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Messages carry the whole memory that bytes are in: many may share it, secrets among them. */
const copyOf = (bytes: Uint8Array) => new Uint8Array(bytes);

/** The bytes of an address in text. Not by ipaddr.js, which the engine's program would carry for this alone. */
function addressBytes(address: string): number[] {
  if (isIP(address) === 0) throw new Error('no address');
  if (isIPv4(address)) return address.split('.').map(Number);
  const [, host = ''] = /^\[(.*)\]$/.exec(new URL(`http://[${address}]/`).hostname) ?? [];
  const [head = '', tail] = host.split('::');
  const groups = (text: string) => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const before = groups(head);
  const after = groups(tail ?? '');
  const middle = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...middle, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

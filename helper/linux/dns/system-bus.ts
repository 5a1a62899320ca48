import { connect, type Socket } from 'node:net';
import { MessageWriter } from './message-writer.ts';

/**
 * As much of D-Bus as the helper needs: calls on the system's bus, of whose answers only matters whether they
 * succeeded. A program for each of them, such as resolvectl(1), would take a hundred times as long, and a library would
 * read whatever anybody on the bus sends, in root's process. Of a message, only its size, the call that it answers and
 * the name of an error are read.
 */

/** Where every system has it (D-Bus specification, "Well-known Message Bus Instances"). */
const busSocket = '/run/dbus/system_bus_socket';

/** An answer takes a millisecond; a service may have to be started first. */
const answerLimitMs = 10_000;

/** Of an answer that only says whether something succeeded. */
const maxMessageBytes = 100_000;

export interface BusCall {
  destination: string;
  path: string;
  interface: string;
  member: string;
  /** The types of what `write` writes. */
  signature: string;
  write: (body: MessageWriter) => void;
  /** It succeeds, too, where the service is too old to know it. */
  isNewer?: true;
}

/** <dbus/dbus-protocol.h>, DBUS_ERROR_UNKNOWN_METHOD. */
const unknownMethod = 'org.freedesktop.DBus.Error.UnknownMethod';

/** Has calls made in this order; rejects if the bus cannot be reached, or once one of them has failed. */
export async function callOnBus(calls: readonly BusCall[], socketPath = busSocket): Promise<void> {
  const socket = connect(socketPath);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const limit = setTimeout(() => reject(new Error('the bus does not answer')), answerLimitMs);
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('the bus has closed the connection')));
  // The bus itself answers the first one, which every connection begins with.
  const all = [hello, ...calls];
  let left = all.length;
  readAnswers(socket, reject, ({ serial, error }) => {
    const call = all[serial - 1];
    if (!call) return;
    const isUnknown = call.isNewer === true && error === unknownMethod;
    if (error !== undefined && !isUnknown) reject(new Error(`${call.member} was refused: ${error}`));
    left -= 1;
    if (left === 0) resolve();
  });
  // Whoever is at the other end is known to the kernel; the bus only wants to hear it (EXTERNAL).
  const uid = Buffer.from(String(process.getuid?.() ?? 0)).toString('hex');
  socket.write(`\0AUTH EXTERNAL ${uid}\r\nBEGIN\r\n`);
  socket.write(Buffer.concat(all.map((call, index) => messageOf(call, index + 1))));
  try {
    await promise;
  } finally {
    clearTimeout(limit);
    socket.destroy();
  }
}

const hello: BusCall = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
  member: 'Hello',
  signature: '',
  write: () => undefined,
};

/** "Message Format": types of messages, and the codes of a header's fields. */
const type = { call: 1, answer: 2, error: 3 } as const;
const field = {
  path: 1,
  interface: 2,
  member: 3,
  errorName: 4,
  replySerial: 5,
  destination: 6,
  signature: 8,
} as const;

function messageOf(call: BusCall, serial: number): Buffer {
  const body = new MessageWriter();
  call.write(body);
  const content = body.bytes();
  const header = new MessageWriter();
  header.byte(littleEndian).byte(type.call).byte(0).byte(1).uint32(content.length).uint32(serial);
  const fields = [
    [field.path, 'o', call.path],
    [field.interface, 's', call.interface],
    [field.member, 's', call.member],
    [field.destination, 's', call.destination],
    ...(call.signature === '' ? [] : ([[field.signature, 'g', call.signature]] as const)),
  ] as const;
  header.array(fields, 8, ([code, kind, text]) => {
    header.byte(code).signature(kind);
    if (kind === 'g') header.signature(text);
    else header.string(text);
  });
  return Buffer.concat([header.align(8).bytes(), content]);
}

const littleEndian = 'l'.charCodeAt(0);

interface Answer {
  /** Of the call. */
  serial: number;
  /** The error's name, if it failed. */
  error: string | undefined;
}

function readAnswers(
  socket: Socket,
  onBroken: (error: Error) => void,
  onAnswer: (answer: Answer) => void,
): void {
  let bytes = Buffer.alloc(0);
  let isAccepted = false;
  socket.on('data', (more: Buffer) => {
    bytes = Buffer.concat([bytes, more]);
    try {
      if (!isAccepted) {
        const end = bytes.indexOf('\r\n');
        if (end < 0) return;
        if (!bytes.toString('latin1', 0, end).startsWith('OK ')) throw new Error('the bus does not admit us');
        isAccepted = true;
        bytes = bytes.subarray(end + 2);
      }
      for (;;) {
        const size = messageSize(bytes);
        if (size === undefined || bytes.length < size) return;
        const answer = readAnswer(bytes.subarray(0, size));
        if (answer) onAnswer(answer);
        bytes = bytes.subarray(size);
      }
    } catch (error) {
      onBroken(error instanceof Error ? error : new Error(String(error)));
      socket.destroy();
    }
  });
}

const aligned = (offset: number, to: number) => Math.ceil(offset / to) * to;

/** Undefined as long as that is not known. */
function messageSize(bytes: Buffer): number | undefined {
  if (bytes.length < 16) return undefined;
  // The bus and its services are on the same machine, and Linux runs Node on little-endian ones.
  if (bytes[0] !== littleEndian) throw new Error('the bus has another byte order');
  const size = aligned(16 + bytes.readUInt32LE(12), 8) + bytes.readUInt32LE(4);
  if (size > maxMessageBytes) throw new Error('the bus says too much');
  return size;
}

/** Undefined of a message that answers nothing. Throws on one that is not as it should be. */
function readAnswer(message: Buffer): Answer | undefined {
  const kind = message[1];
  if (kind !== type.answer && kind !== type.error) return undefined;
  const end = 16 + message.readUInt32LE(12);
  let serial: number | undefined;
  let errorName: string | undefined;
  for (let at = 16; at < end;) {
    at = aligned(at, 8);
    const code = message.readUInt8(at);
    const signatureLength = message.readUInt8(at + 1);
    const signature = message.toString('latin1', at + 2, at + 2 + signatureLength);
    at += 3 + signatureLength;
    if (signature === 'g') {
      at += message.readUInt8(at) + 2;
      continue;
    }
    at = aligned(at, 4);
    const value = message.readUInt32LE(at);
    at += 4;
    if (signature === 's' || signature === 'o') {
      if (code === field.errorName) errorName = message.toString('utf8', at, at + value);
      at += value + 1;
    } else if (signature !== 'u') throw new Error('the bus uses a type that no header has');
    else if (code === field.replySerial) serial = value;
  }
  if (serial === undefined) throw new Error('the bus answers nobody');
  return { serial, error: kind === type.error ? (errorName ?? 'without a name') : undefined };
}

import type { Duplex } from 'node:stream';
import { createObjectWait, type ObjectWait } from '../calls/wait-for-object.ts';
import { createFrameReader, frameHeadBytes, maxPacketBytes } from '../../network/packet-frames.ts';
import type { WintunSession } from '../calls/wintun.ts';

/** So many bytes are taken before something else gets its turn. */
const batchBytes = 256 * 1024;
const largestFrame = frameHeadBytes + maxPacketBytes;

/**
 * Carries packets between the adapter and the engine's end of a pipe, until `close`. Nobody looks into them here. What
 * the engine does not take stays in the ring, and what that has no room for is lost, as in a network. `onEnd`: one of
 * the two is gone, or cannot be understood.
 */
export function relayPackets(options: {
  session: WintunSession;
  pipe: Duplex;
  onEnd(why: string, end: 'adapter' | 'engine'): void;
  createWait?: (onSignal: () => void) => ObjectWait;
}): {
  close(): void;
} {
  const { session, pipe, createWait = createObjectWait } = options;
  const waiting: Buffer[] = [];
  let isClosed = false;

  function end(why: string, by: 'adapter' | 'engine'): void {
    if (isClosed) return;
    close();
    options.onEnd(why, by);
  }

  /** Its rings are of no use any more, whatever the driver says of them. */
  function ofAdapter<Outcome>(call: () => Outcome): Outcome | 'ended' {
    try {
      return call();
    } catch (error) {
      end(`the adapter fails: ${String(error)}`, 'adapter');
      return 'ended';
    }
  }

  function close(): void {
    isClosed = true;
    wait.close();
    pipe.destroy();
  }

  /** From this machine to the engine. */
  function fromAdapter(): void {
    if (isClosed) return;
    const batch = Buffer.allocUnsafe(batchBytes);
    let length = 0;
    let outcome: number | 'empty' | 'ended' = 0;
    while (length + largestFrame <= batch.length) {
      const room = batch.subarray(length + frameHeadBytes);
      outcome = ofAdapter(() => session.receive(room));
      if (typeof outcome === 'string') break;
      batch.writeUInt16BE(outcome, length);
      length += frameHeadBytes + outcome;
    }
    if (isClosed) return;
    const isRoom = length === 0 || pipe.write(batch.subarray(0, length));
    if (outcome === 'ended') return end('the adapter is gone', 'adapter');
    if (!isRoom) pipe.once('drain', fromAdapter);
    else if (outcome === 'empty') wait.start(session.readEvent);
    else setImmediate(fromAdapter);
  }

  /**
   * From the engine to this machine: a full ring is tried again at once, since the system's shortest sleep is far
   * longer.
   */
  function toAdapter(): void {
    for (;;) {
      const [packet] = waiting;
      if (!packet) break;
      if (isClosed) return;
      const outcome = ofAdapter(() => session.send(packet));
      if (outcome === 'ended') return end('the adapter is gone', 'adapter');
      if (outcome === 'full') {
        pipe.pause();
        setImmediate(toAdapter);
        return;
      }
      waiting.shift();
    }
    if (pipe.isPaused()) pipe.resume();
  }

  const wait = createWait(fromAdapter);
  const read = createFrameReader((packet) => waiting.push(packet));
  pipe.on('data', (piece: Buffer) => {
    try {
      read(piece);
    } catch {
      return end('the engine has sent no packet', 'engine');
    }
    toAdapter();
  });
  pipe.on('error', () => undefined);
  pipe.once('close', () => end('the engine is gone', 'engine'));
  fromAdapter();
  return { close };
}

import { Socket } from 'node:net';
import { createFrameReader, frameOf } from '../../../network/packet-frames.ts';
import type { DeviceOptions, FastDevice } from '../data-path/start-data-path.ts';

/** More bytes than these are dropped, as a network does. */
const maxQueuedBytes = 1024 * 1024;

/** The tunnel's device as a pipe to the helper, which has it and carries the packets. */
export function openFramedDevice(options: DeviceOptions): FastDevice {
  const onEnd = (error: Error) => options.onEnd(error);
  const pipe = new Socket({ fd: options.descriptor, readable: true, writable: true });
  const read = createFrameReader((packet) => options.onPacket(packet));
  pipe.on('data', (piece) => {
    try {
      read(piece);
    } catch (error) {
      return onEnd(error instanceof Error ? error : new Error('no packet'));
    }
    if (options.isBusy()) pipe.pause();
  });
  pipe.pause();
  pipe.on('error', onEnd);
  pipe.on('close', () => onEnd(new Error('the helper has closed the pipe')));
  let isPassing = false;
  return {
    pass() {
      isPassing = true;
      pipe.resume();
    },
    write(packet) {
      if (isPassing && pipe.writableLength <= maxQueuedBytes) pipe.write(frameOf(packet));
    },
    resume() {
      if (isPassing) pipe.resume();
    },
  };
}

/**
 * What the data path needs of the system: the device with its offload, sockets that send and receive many datagrams at
 * once, and waiting for both. Only this file knows which system has that, and only Linux has: elsewhere
 * `createSystemCalls` throws, and packets go by the engine's main thread.
 */
export {
  createDatagramSocket,
  createSocketPollSet,
  maxSegments,
  maxSendBytes,
  type DatagramSocket,
} from './linux/datagram-socket.ts';
export { deviceRoom, isGone, openOffloadDevice, type OffloadDevice } from './linux/offload-device.ts';
export {
  createPollSet,
  createReceiveSlots,
  createSystemCalls,
  pollIn,
  slotBytes,
  type SystemCalls,
} from './linux/system-calls.ts';

import type { Socket } from 'node:net';

/** The maximum time from a client's connection until it is relayed to its destination. */
const openingMs = 30_000;

/** The first part of a client's connection, which has to lead somewhere in time. */
export interface OpeningDeadline {
  /** Aborted when the time is over, or the client has disconnected. */
  readonly signal: AbortSignal;
  /** The client has sent its request: if the time is over after this, it gets an answer instead of being cut off. */
  requestRead(): void;
  /** The destination is reached; `signal` no longer changes. */
  finish(): void;
}

/** `onRequestRead`: called as soon as the client has sent its request. */
export function startOpeningDeadline(client: Socket, onRequestRead?: () => void): OpeningDeadline {
  const controller = new AbortController();
  let isRequestRead = false;
  const timer = setTimeout(() => {
    controller.abort();
    if (!isRequestRead) client.destroy();
  }, openingMs);
  const onGone = () => {
    clearTimeout(timer);
    controller.abort();
  };
  client.once('close', onGone);
  return {
    signal: controller.signal,
    requestRead() {
      isRequestRead = true;
      onRequestRead?.();
    },
    finish() {
      clearTimeout(timer);
      client.off('close', onGone);
    },
  };
}

import type { Socket } from 'node:net';

/** How long a client may take from connecting until it is joined to its destination. */
const openingMs = 30_000;

/** The beginning of a client's connection, which has to lead somewhere in time. */
export interface OpeningDeadline {
  /** Aborted when the time is up, or the client has gone. */
  readonly signal: AbortSignal;
  /** The client has said what it wants; when the time is up now, it gets an answer instead of being cut off. */
  requestRead(): void;
  /** The destination is reached: `signal` stays as it is from here on. */
  finish(): void;
}

/** `onRequestRead`: called as soon as the client has said what it wants. */
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

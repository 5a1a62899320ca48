import { createParser } from 'eventsource-parser';
import { authorizationOf } from '#shared/api/client.ts';
import { eventsPath } from '#shared/api/events.ts';

/** A device's stream of events, as it comes from the service. */
export interface EventReader extends AsyncDisposable {
  status: number;
  headers: Headers;
  /** Every event so far: what it says, after its type if it has one. */
  events: string[];
  /** For how long to stay away, as the service said last. */
  retryMs: number | undefined;
  isOver: boolean;
  /** Whether the connection broke, and the stream did not come to its end. */
  isCut: boolean;
  /** Resolves when the service, or whoever is between, has ended the stream. */
  over: Promise<void>;
}

/** Opens a device's stream; resolves once its first bytes are there, or it was refused. */
export async function readEvents(
  url: string,
  device: { deviceId: string; token: string | undefined },
): Promise<EventReader> {
  const leaving = new AbortController();
  const reply = await fetch(url + eventsPath, {
    headers: { authorization: authorizationOf({ deviceId: device.deviceId, token: device.token }) },
    signal: leaving.signal,
  });
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const reader: EventReader = {
    status: reply.status,
    headers: reply.headers,
    events: [],
    retryMs: undefined,
    isOver: false,
    isCut: false,
    over,
    async [Symbol.asyncDispose]() {
      leaving.abort();
      await over;
    },
  };
  const parser = createParser({
    onEvent: ({ event, data }) => reader.events.push(event === undefined ? data : `${event} ${data}`),
    onRetry: (ms) => (reader.retryMs = ms),
  });
  void (async () => {
    const decoder = new TextDecoder();
    try {
      for await (const bytes of reply.body ?? []) {
        parser.feed(decoder.decode(bytes, { stream: true }));
        open();
      }
    } catch {
      reader.isCut = true;
    }
    reader.isOver = true;
    open();
    end();
  })();
  await opened;
  return reader;
}

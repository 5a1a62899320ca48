import type { ServerResponse } from 'node:http';
import { eventStream, streamEndEvent, type AccountChange, type StreamEnd } from '#shared/api/events.ts';

/** One open stream of server-sent events (WHATWG HTML §9.2). */
export interface EventStream {
  emit(change: AccountChange): void;
  /** The client should not come back, for this reason. */
  end(reason: StreamEnd): void;
  /** The client should come back after about this time. */
  endUntil(retryMs: number): void;
}

export type EventOutput = Pick<
  ServerResponse,
  'write' | 'end' | 'destroy' | 'writableLength' | 'writableNeedDrain' | 'on' | 'once'
>;

const retryLine = (ms: number) => `retry: ${Math.round(ms)}\n\n`;

/**
 * Writes a stream. At most one unsent event of each kind is queued, however many there are. A client that accepts
 * nothing between two heartbeats is dropped. `closed`: called when the stream is over, whoever ended it.
 */
export function openEventStream(output: EventOutput, closed: () => void): EventStream {
  const waiting = new Set<AccountChange>();

  function flush(): void {
    if (output.writableNeedDrain) return;
    const events = [...waiting].map((change) => `data: ${change}\n\n`);
    waiting.clear();
    if (events.length > 0) output.write(events.join(''));
  }

  const heartbeat = setInterval(() => {
    if (output.writableLength > 0) output.destroy();
    else output.write(':\n\n');
  }, eventStream.heartbeatSeconds * 1000);
  heartbeat.unref();

  function last(text: string): void {
    flush();
    output.end(text);
    // A client that accepts no data would not read the end, either.
    if (output.writableNeedDrain) output.destroy();
  }

  output.on('drain', flush);
  // The client may disconnect during a write.
  output.on('error', () => undefined);
  output.once('close', () => {
    clearInterval(heartbeat);
    closed();
  });
  output.write(retryLine(eventStream.retrySeconds * 1000));

  return {
    emit(change) {
      waiting.add(change);
      flush();
    },
    end: (reason) => last(`event: ${streamEndEvent}\ndata: ${reason}\n\n`),
    endUntil: (retryMs) => last(retryLine(retryMs)),
  };
}

import { createParser } from 'eventsource-parser';
import { pauseAfter, spread } from '../back-off.ts';
import { authorizationOf, type ApiSession } from './client.ts';
import {
  accountChange,
  accountChanges,
  eventsPath,
  eventStream,
  streamEnd,
  streamEndEvent,
  type AccountChange,
} from './events.ts';
import { apiCode, readEnvelope } from './result.ts';

// Exists in every browser and in Node.
declare class AbortController {
  readonly signal: unknown;
  abort(): void;
}
declare class TextDecoder {
  decode(bytes: Uint8Array | undefined, options: { stream: true }): string;
}
declare function setTimeout(action: () => void, ms: number): unknown;
declare function clearTimeout(timer: unknown): void;

interface StreamReply {
  status: number;
  headers: { get(name: string): string | null };
  body: { getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> } } | null;
}

/** The part of `fetch` that is used here; the browser's and Node's both satisfy it. */
export type FetchStream = (
  url: string,
  request: { method: string; headers: Record<string, string>; signal: never },
) => Promise<StreamReply>;

export interface FollowEventsOptions {
  /** Origin of the service, without a trailing slash; empty for the page's own origin. */
  baseUrl: string;
  fetch: FetchStream;
  session(): ApiSession;
  /** From now on changes are heard: for the first time, so what was loaded before may have missed some. */
  onFollowed(): void;
  /** What has changed, or may have changed while there was no stream. */
  onChanges(changes: readonly AccountChange[]): void;
  /** The service no longer accepts the token. */
  onSignedOut(): void;
}

/** Keeps a device's stream of events open, while somebody is signed in. */
export interface EventFollower {
  start(): void;
  stop(): void;
  /** Call this when somebody else is signed in, or the way to the service has changed. */
  restart(): void;
}

/** `cut`: it was opened, and ended soon, without having told anything. */
type Outcome = 'ended' | 'cut' | 'failed' | 'replaced' | 'signed-out';

/** Opens one stream after the other until it is stopped. */
interface Run {
  isOver: boolean;
  /** Ends the current wait. */
  interrupt: () => void;
}

/** Far more than an event, or a refusal, needs, in characters. */
const maxEventLength = 4096;
const maxRetryMs = eventStream.maxRetrySeconds * 1000;
const pollMs = eventStream.pollSeconds * 1000;

export function followEvents(options: FollowEventsOptions): EventFollower {
  let current: Run | undefined;
  /** Whose stream was open before, if any: then changes since that stream were missed. */
  let followed: string | undefined;
  let retryMs = eventStream.retrySeconds * 1000;

  /** Reads one stream to its end; never rejects. `onOpen`: called when the first bytes have arrived. */
  async function read(run: Run, authorization: string, onOpen: () => void): Promise<Outcome> {
    const connection = new AbortController();
    run.interrupt = () => connection.abort();
    let timer = setTimeout(run.interrupt, eventStream.openSeconds * 1000);
    const openedAt = Date.now();
    let isOpen = false;
    let hasTold = false;
    const end = (): Outcome => {
      if (!isOpen) return 'failed';
      return hasTold || Date.now() - openedAt >= pollMs ? 'ended' : 'cut';
    };
    try {
      const headers = { Accept: 'text/event-stream', Authorization: authorization };
      const request = { method: 'GET', headers, signal: connection.signal as never };
      const reply = await options.fetch(options.baseUrl + eventsPath, request);
      if (reply.status === apiCode.unauthorized) return (await isRefused(reply)) ? 'signed-out' : 'failed';
      const type = reply.headers.get('content-type') ?? '';
      if (reply.status !== 200 || !type.startsWith('text/event-stream') || !reply.body) return 'failed';
      const reader = reply.body.getReader();
      const decoder = new TextDecoder();
      const changes = new Set<AccountChange>();
      const last: { outcome?: Outcome | undefined } = {};
      const parser = createParser({
        maxBufferSize: maxEventLength,
        onError(error) {
          if (error.type === 'max-buffer-size-exceeded') throw error;
        },
        onRetry: (ms) => (retryMs = Math.min(Math.max(ms, 1000), maxRetryMs)),
        onEvent({ event, data }) {
          if (event === streamEndEvent) last.outcome = streamEnd.safeParse(data).data;
          const change = accountChange.safeParse(data);
          // A newer service may emit events that this app does not know.
          if (event === undefined && change.success) changes.add(change.data);
        },
      });
      while (last.outcome === undefined) {
        const { done, value } = await reader.read();
        if (done || run.isOver) break;
        clearTimeout(timer);
        timer = setTimeout(run.interrupt, eventStream.silenceSeconds * 1000);
        if (!isOpen) onOpen();
        isOpen = true;
        parser.feed(decoder.decode(value, { stream: true }));
        if (changes.size === 0) continue;
        hasTold = true;
        options.onChanges([...changes]);
        changes.clear();
      }
      return last.outcome ?? end();
    } catch {
      return end();
    } finally {
      clearTimeout(timer);
      connection.abort();
    }
  }

  async function follow(run: Run): Promise<void> {
    const session = options.session();
    if (session.token === undefined) return;
    const authorization = authorizationOf(session);
    let failures = 0;
    /** Everything that happened before this time is known. */
    let knownAt = Date.now();
    const askForAll = () => {
      knownAt = Date.now();
      options.onChanges(accountChanges);
    };
    const onOpen = () => {
      if (followed === authorization) askForAll();
      else options.onFollowed();
      followed = authorization;
    };
    while (!run.isOver) {
      const outcome = await read(run, authorization, onOpen);
      if (run.isOver) return;
      if (outcome === 'signed-out') {
        if (authorizationOf(options.session()) === authorization) options.onSignedOut();
        return;
      }
      if (outcome !== 'failed') knownAt = Date.now();
      // Also if the clock was set back.
      else if (Math.abs(Date.now() - knownAt) >= pollMs) askForAll();
      failures = outcome === 'cut' || outcome === 'failed' ? failures + 1 : 0;
      const backOff = { firstMs: retryMs, maxMs: maxRetryMs };
      const pauseMs = outcome === 'replaced' ? maxRetryMs : pauseAfter(failures + 1, backOff);
      await pause(run, spread(pauseMs, [0.5, 1.5]));
    }
  }

  function start(): void {
    if (current) return;
    current = { isOver: false, interrupt: () => undefined };
    void follow(current);
  }

  function stop(): void {
    if (!current) return;
    current.isOver = true;
    current.interrupt();
    current = undefined;
  }

  return {
    start,
    stop,
    restart() {
      stop();
      start();
    },
  };
}

/** Whether it is the service that refuses the token: a proxy before it may answer with the same status. */
async function isRefused({ body }: StreamReply): Promise<boolean> {
  if (!body) return false;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  while (text.length <= maxEventLength) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  return readEnvelope(text).data?.code === apiCode.unauthorized;
}

function pause(run: Run, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    run.interrupt = () => {
      clearTimeout(timer);
      resolve();
    };
  });
}

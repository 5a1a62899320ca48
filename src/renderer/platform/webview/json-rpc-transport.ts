import * as z from 'zod/mini';
import type { HostTransport } from '#shared/host/transport.ts';
import { parseJson } from '#shared/parse-json.ts';
import { afterRunning } from '../after-running.ts';
import type { TextPort } from './webview-port.ts';

/**
 * Carries the host contract as JSON-RPC 2.0 (https://www.jsonrpc.org/specification) over a text port. `method` is the
 * channel; `params` is a list with the input, or absent if there is none. (Not vscode-jsonrpc: every app would have to
 * know its `$/` messages, and every page would have to load it.)
 */

const version = { jsonrpc: z.literal('2.0') };
const fromApp = z.union([
  z.object({ ...version, id: z.number(), error: z.object({ code: z.number(), message: z.string() }) }),
  z.object({
    ...version,
    id: z.number(),
    result: z.unknown().check(z.refine((value) => value !== undefined)),
  }),
  z.strictObject({ ...version, method: z.string(), params: z.tuple([z.unknown()]) }),
]);

/** The app's own message about why it refused. */
export class HostErrorReply extends Error {
  override name = 'HostErrorReply';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The app accepted the request and never answered. */
export class HostSilent extends Error {
  override name = 'HostSilent';
}

export function createJsonRpcTransport(port: TextPort, timeoutSeconds = 15): HostTransport {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  const listeners = new Map<string, Set<(payload: unknown) => void>>();
  let lastId = 0;

  port.listen((text) => {
    const parsed = fromApp.safeParse(parseJson(text));
    // A text that is not a message of the protocol cannot be answered, and answers nothing.
    if (!parsed.success) return;
    const message = parsed.data;
    if ('method' in message) {
      for (const listener of listeners.get(message.method) ?? []) listener(message.params[0]);
      return;
    }
    const caller = waiting.get(message.id);
    if ('error' in message) caller?.reject(new HostErrorReply(message.error.code, message.error.message));
    else caller?.resolve(message.result);
  });

  return {
    async request(channel, input) {
      const id = ++lastId;
      const params = input === undefined ? {} : { params: [input] };
      const message = JSON.stringify({ jsonrpc: '2.0', id, method: channel, ...params });
      let stopWaiting: (() => void) | undefined;
      const reply = new Promise<unknown>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        stopWaiting = afterRunning(timeoutSeconds, () =>
          reject(new HostSilent(`${channel}: no reply within ${timeoutSeconds} s`)),
        );
        port
          .send(message)
          .catch((cause: unknown) => reject(new Error(`${channel}: not taken by the app`, { cause })));
      });
      try {
        return await reply;
      } finally {
        stopWaiting?.();
        waiting.delete(id);
      }
    },
    subscribe(channel, listener) {
      // A wrapper, so that a function can be subscribed twice and each subscription ended separately.
      const deliver = (payload: unknown) => listener(payload);
      const ofChannel = listeners.get(channel) ?? new Set();
      listeners.set(channel, ofChannel.add(deliver));
      return () => void ofChannel.delete(deliver);
    },
  };
}

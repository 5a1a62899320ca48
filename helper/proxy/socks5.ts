import type { Socket } from 'node:net';
import { relay } from './relay.ts';
import type { Destination } from './destination.ts';
import type { Opened } from './open-destination.ts';
import type { OpeningDeadline } from './opening-deadline.ts';
import { refuseClient } from './refuse-client.ts';
import {
  encodeReply,
  greetingAnswer,
  parseGreeting,
  parseRequest,
  replyOfFailure,
  socksReply,
  type Parsed,
} from './socks5-messages.ts';

/** Serves a SOCKS 5 client from its first byte. */
export async function serveSocks5(
  client: Socket,
  opening: OpeningDeadline,
  open: (destination: Destination, signal: AbortSignal) => Promise<Opened>,
): Promise<void> {
  const greeting = await readMessage(client, parseGreeting);
  if (greeting === undefined) {
    client.destroy();
    return;
  }
  if (greeting === 'other-methods') {
    refuseClient(client, greetingAnswer[greeting]);
    return;
  }
  client.write(greetingAnswer[greeting]);

  const request = await readMessage(client, parseRequest);
  if (request === undefined) {
    client.destroy();
    return;
  }
  opening.requestRead();
  if ('reply' in request) {
    refuseClient(client, encodeReply(request.reply));
    return;
  }
  const opened = await open(request.destination, opening.signal);
  opening.finish();
  if (!opened.ok) {
    refuseClient(client, encodeReply(replyOfFailure[opened.failure]));
    return;
  }
  client.write(encodeReply(socksReply.succeeded));
  relay(client, opened.socket);
}

/**
 * The next message, in any number of pieces; undefined if the client ends before. Messages have at most 262 bytes; what
 * follows stays unread.
 */
function readMessage<Value>(
  client: Socket,
  parse: (bytes: Buffer) => Parsed<Value>,
): Promise<Value | undefined> {
  let received: Buffer = Buffer.alloc(0);
  return new Promise((resolve) => {
    const settle = (value: Value | undefined) => {
      client.pause();
      client.off('data', onData).off('end', onGone).off('close', onGone);
      resolve(value);
    };
    const onGone = () => settle(undefined);
    const onData = (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      const parsed = parse(received);
      if (parsed.state === 'incomplete') return;
      settle(parsed.value);
      const rest = received.subarray(parsed.length);
      if (rest.length > 0) client.unshift(rest);
    };
    client.on('data', onData).on('end', onGone).on('close', onGone);
    client.resume();
  });
}

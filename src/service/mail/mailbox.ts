import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { callbackify } from 'node:util';
import fastify from 'fastify';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import { listenOnUnixSocket } from '../http/unix-socket.ts';
import { isLoopbackName } from '../http/loopback.ts';
import { forSetting } from '../setting-problem.ts';
import type { MailboxMessage } from './mailbox-message.ts';
import { mailboxPage } from './mailbox-page.ts';

export interface Mailbox {
  /** Where the service sends its mail. */
  smtpUrl: string;
  /** Where people and tests read it. */
  url: string;
  close(): Promise<void>;
}

const loopback = '127.0.0.1';
const keptMessages = 200;
const maxMessageBytes = 1024 * 1024;

/**
 * A mailbox for development, if no SMTP server is configured. It accepts mail for anybody over SMTP, and shows it over
 * HTTP to everybody on this machine, but not to requests under another host name. Messages are in memory only.
 * - `GET /`: a page for people
 * - `GET /messages?to=ADDRESS`: a JSON list of messages, newest first; `to` is optional
 * - `GET /messages/ID`: one of them
 */
export async function startMailbox(options: {
  port: number;
  socket: string | undefined;
  now: () => Date;
}): Promise<Mailbox> {
  const messages: MailboxMessage[] = [];
  const receive = (message: MailboxMessage) => {
    messages.unshift(message);
    messages.length = Math.min(messages.length, keptMessages);
  };
  const smtp = smtpServer(options.now, receive);
  const listener = smtp.listen(0, loopback);
  await once(listener, 'listening');
  const http = mailboxServer(messages);
  let closeSocket: (() => Promise<void>) | undefined;
  const close = async () => {
    await closeSocket?.();
    await http.close();
    await new Promise<void>((resolve) => smtp.close(resolve));
  };
  try {
    const url = await forSetting(
      'WAYMAKER_MAILBOX_PORT',
      http.listen({ host: loopback, port: options.port }),
    );
    if (options.socket !== undefined) {
      closeSocket = await forSetting('WAYMAKER_MAILBOX_SOCKET', listenOnUnixSocket(http, options.socket));
    }
    return { smtpUrl: `smtp://${loopback}:${(listener.address() as AddressInfo).port}`, url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function smtpServer(now: () => Date, receive: (message: MailboxMessage) => void): SMTPServer {
  const server = new SMTPServer({
    name: 'mailbox.waymaker.invalid',
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    size: maxMessageBytes,
    onData(stream, session, callback) {
      const received = readMessage(stream).then((mail) =>
        receive({
          id: randomUUID(),
          receivedAt: now().toISOString(),
          from: mail.from?.address ?? '',
          to: session.envelope.rcptTo.map(({ address }) => address),
          subject: mail.subject ?? '',
          text: mail.text ?? '',
          html: mail.html ?? '',
        }),
      );
      callbackify(() => received)(callback);
    },
  });
  // smtp-server reports clients that disconnect here; without a listener, the process would end.
  server.on('error', () => undefined);
  return server;
}

async function readMessage(stream: SMTPServerDataStream) {
  const raw = await buffer(stream);
  // RFC 5321 §4.2.3: 552, exceeded storage allocation.
  if (stream.sizeExceeded) throw Object.assign(new Error('message too large'), { responseCode: 552 });
  return PostalMime.parse(raw);
}

function mailboxServer(messages: readonly MailboxMessage[]) {
  const http = fastify({ forceCloseConnections: true });
  http.addHook('onRequest', (request, reply, done) => {
    reply.headers({
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    // A web page can make its own name resolve to 127.0.0.1 (DNS rebinding) and read all codes; the browser then sends
    // that name as Host.
    if (isLoopbackName(request.hostname)) done();
    else void reply.code(421).send({ error: 'the mailbox answers on this machine only' });
  });
  http.get('/', async (_, reply) => reply.type('text/html; charset=utf-8').send(mailboxPage(messages)));
  http.get<{ Querystring: { to?: string | string[] } }>('/messages', async ({ query }) => {
    const wanted = query.to === undefined ? undefined : [query.to].flat().map((to) => to.toLowerCase());
    return messages.filter(
      ({ to }) => !wanted || to.some((address) => wanted.includes(address.toLowerCase())),
    );
  });
  http.get<{ Params: { id: string } }>('/messages/:id', async ({ params }, reply) => {
    const message = messages.find(({ id }) => id === params.id);
    return message ?? reply.code(404).send({ error: 'no such message' });
  });
  return http;
}

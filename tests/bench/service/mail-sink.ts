import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { callbackify } from 'node:util';
import { SMTPServer } from 'smtp-server';

/** An SMTP server that keeps nothing but the code of a mail until it is asked for. */
export async function startMailSink() {
  const codes = new Map<string, string>();
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData(stream, session, callback) {
      const received = text(stream).then((mail) => {
        const code = /^(\d{6})\r?$/m.exec(mail)?.[1];
        for (const { address } of session.envelope.rcptTo) if (code !== undefined) codes.set(address, code);
      });
      callbackify(() => received)(callback);
    },
  });
  server.on('error', () => undefined);
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  return {
    url: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`,
    takeCode(email: string): string {
      const code = codes.get(email);
      codes.delete(email);
      if (code === undefined) throw new Error(`no code was mailed to ${email}`);
      return code;
    },
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

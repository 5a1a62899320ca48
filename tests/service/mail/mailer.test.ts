import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { newEmail, startTestService, TestDevice } from '../test-service.ts';

test('a mail that the SMTP server refuses is told, and may be asked for again at once', async () => {
  let refusing = true;
  const accepted: string[] = [];
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: ({ address }, _, callback) => {
      if (!refusing) accepted.push(address);
      callback(refusing ? Object.assign(new Error('try later'), { responseCode: 450 }) : null);
    },
  });
  await using closing = new AsyncDisposableStack();
  closing.defer(() => new Promise<void>((resolve) => smtp.close(resolve)));
  const listener = smtp.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const running = await startTestService({
    environment: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Waymaker <codes@example.net>' },
  });
  closing.use(running);
  const device = new TestDevice(running);
  const email = newEmail();
  expect(await device.client.call('getAuthCode', { body: { email } })).toEqual({
    ok: false,
    failure: { kind: 'service', code: 500, msg: 'The email could not be sent. Please retry.' },
  });
  refusing = false;
  await device.requestCode(email);
  expect(accepted).toEqual([email]);
});

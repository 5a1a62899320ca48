import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { newEmail, startTestService, TestDevice } from '../test-service.ts';

/** A service whose SMTP server answers each recipient with this code; 250 takes the mail. */
async function serviceWithSmtp(answer: () => number) {
  const accepted: string[] = [];
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: ({ address }, _, callback) => {
      const responseCode = answer();
      if (responseCode === 250) accepted.push(address);
      callback(responseCode === 250 ? null : Object.assign(new Error('not taken'), { responseCode }));
    },
  });
  const closing = new AsyncDisposableStack();
  closing.defer(() => new Promise<void>((resolve) => smtp.close(resolve)));
  const listener = smtp.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const running = await startTestService({
    environment: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Waymaker <codes@example.net>' },
  });
  closing.use(running);
  return { running, accepted, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

test('a mail that the SMTP server refuses for now may be asked for again at once', async () => {
  let answer = 450;
  await using smtp = await serviceWithSmtp(() => answer);
  const device = new TestDevice(smtp.running);
  const email = newEmail();
  expect(await device.client.call('getAuthCode', { body: { email } })).toEqual({
    ok: false,
    failure: { kind: 'service', code: 503, msg: 'The email could not be sent. Please retry.' },
  });
  answer = 250;
  await device.requestCode(email);
  expect(smtp.accepted).toEqual([email]);
});

test.each([550, 551, 553, 556])('an address that takes no mail (%i) is refused as such', async (code) => {
  await using smtp = await serviceWithSmtp(() => code);
  const device = new TestDevice(smtp.running);
  expect(await device.client.call('getAuthCode', { body: { email: newEmail() } })).toEqual({
    ok: false,
    failure: { kind: 'service', code: 422, msg: 'This address does not accept mail. Please check it.' },
  });
});

import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { createLogger } from '../../src/service/log.ts';
import { newEmail, startTestService, TestDevice } from './test-service.ts';

test('the log tells what happened, and no secret', async () => {
  let log = '';
  const logger = createLogger('trace', { write: (line) => (log += line) });
  const running = await startTestService({ kind: 'postgresql', logger });
  const device = new TestDevice(running);
  const email = newEmail();
  const token = await device.signIn(email);
  const code = await device.readCode(email);
  await fetch(`${running.url}/device-login?deviceId=${device.deviceId}&token=${token}`);
  // A failed query quotes its parameters, and a violated key its values.
  await running.service.database.execute(
    'alter table users add column broken int check (broken > 0) default 1',
  );
  await running.service.database.execute('alter table devices drop column last_seen_at');
  await device.client.call('userInfo');
  await running.service.database.execute(`create function fail() returns trigger language plpgsql as
    $$ begin raise exception 'no code for %', new.email; end $$`);
  await running.service.database.execute(
    'create trigger fail before insert on auth_codes for each row execute function fail()',
  );
  await device.client.call('getAuthCode', { body: { email } });
  logger.info({ headers: { authorization: token }, body: { authCode: code, email, token } }, 'any object');
  await running[Symbol.asyncDispose]();
  expect(log).toContain('"path":"/device-login"');
  expect(log).toContain('"statusCode":500');
  expect(log).toContain('any object');
  for (const secret of [token, email, `"${code}"`, device.deviceId]) expect(log).not.toContain(secret);
  expect(log).toContain('[redacted]');
});

test('the log names the cause of a failure and of a refusal', async () => {
  let log = '';
  const logger = createLogger('info', { write: (line) => (log += line) });
  await using running = await startTestService({ kind: 'postgresql', logger });
  const device = new TestDevice(running);
  await device.client.call('userInfo');
  expect(log).toContain('"reason":"not-signed-in"');
  await device.signIn(newEmail());
  await running.service.database.execute('drop table entitlements');
  await device.client.call('myService');
  expect(log).toContain('relation \\"entitlements\\" does not exist');
  expect(log).toContain('"errorCode":"42P01"');
});

test('an SMTP server’s answer, which quotes the recipient, is not logged', async () => {
  let log = '';
  const logger = createLogger('trace', { write: (line) => (log += line) });
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    // The service keeps its connection open; it is cut.
    closeTimeout: 1,
    onRcptTo: ({ address }, _, callback) =>
      callback(Object.assign(new Error(`no mail box <${address}>`), { responseCode: 550 })),
  });
  const listener = smtp.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const smtpClosed = () => new Promise<void>((resolve) => smtp.close(resolve));
  await using closing = new AsyncDisposableStack();
  const running = await startTestService({
    logger,
    environment: {
      SMTP_URL: `smtp://127.0.0.1:${(listener.address() as AddressInfo).port}`,
      MAIL_FROM: 'codes@example.net',
    },
  });
  closing.use(running);
  const [refused, unreachable] = [newEmail(), newEmail()];
  await new TestDevice(running).client.call('getAuthCode', { body: { email: refused } });
  expect(log).toContain('could not be mailed');
  expect(log).toContain('"responseCode":550');
  await smtpClosed();
  await new TestDevice(running).client.call('getAuthCode', { body: { email: unreachable } });
  expect(log).toContain('ECONNREFUSED');
  expect(log).not.toContain(refused);
  expect(log).not.toContain(unreachable);
});

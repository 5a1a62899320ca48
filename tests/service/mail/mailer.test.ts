import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { expect, test } from 'vitest';
import { invite, newPayer } from '../group/membership.ts';
import { translationOverrides } from '../../../src/service/database/schema/pages.ts';
import { newEmail, newEnvironment, startTestService, TestDevice } from '../test-service.ts';

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

test('an invitation is answered without waiting for its mail, and a refusal of the mail is told later', async () => {
  const held: (() => void)[] = [];
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onRcptTo: ({ address }, _, callback) => {
      const isInvited = address.startsWith('invited');
      if (!isInvited) return callback(null);
      // RFC 5321 §4.2.3: 550, no such mailbox.
      held.push(() => callback(Object.assign(new Error('no such mailbox'), { responseCode: 550 })));
    },
  });
  await using closing = new AsyncDisposableStack();
  closing.defer(() => new Promise<void>((resolve) => smtp.close(resolve)));
  const listener = smtp.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  // The payer signs in with a service that has a mailbox, and invites at one that has this server.
  const environment = await newEnvironment('postgresql');
  const signingIn = await startTestService({ environment });
  const { device: payer } = await newPayer(signingIn);
  // Else it would send the mail for the other one.
  await signingIn[Symbol.asyncDispose]();
  const running = await startTestService({
    environment: {
      ...environment,
      SMTP_URL: `smtp://127.0.0.1:${port}`,
      MAIL_FROM: 'Waymaker <codes@example.net>',
    },
  });
  closing.use(running);
  const device = new TestDevice(running, payer);
  const mailFailed = async () => {
    const members = await device.client.call('members');
    return members.ok && members.data.items.map(({ invitation }) => invitation?.mailFailed);
  };
  expect(await invite(device, 'invited@example.com')).toEqual({ ok: true, data: null });
  await expect.poll(() => held).toHaveLength(1);
  expect(await mailFailed()).toEqual([false]);
  held[0]?.();
  await expect.poll(mailFailed).toEqual([true]);
});

test('an invitation’s mail leads to where the operator says, in the language of who invites', async () => {
  await using running = await startTestService({
    environment: { WAYMAKER_PUBLIC_URL: 'http://vpn.example.org/' },
  });
  const { device: payer, email } = await newPayer(running);
  const to = newEmail();
  const body = { loginId: to, loginType: 'email' } as const;
  await payer.client.call('addMember', { body, language: 'zh-hans' });
  await expect.poll(() => payer.mails(to)).toHaveLength(1);
  const [mail] = await payer.mails(to);
  expect(mail).toMatchObject({ subject: '邀请您共享 Waymaker 套餐', to: [to] });
  expect(mail?.text).toContain(`${email} 邀请您`);
  expect(mail?.text).toContain('http://vpn.example.org/dashboard');
  expect(mail?.html).toContain('href="http://vpn.example.org/dashboard"');
});

test('the operator’s texts are in the mails, too, if they have all that is to be filled in', async () => {
  const mails: string[] = [];
  const smtp = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, _, callback) {
      let mail = '';
      stream.setEncoding('utf8');
      stream.on('data', (chunk: string) => (mail += chunk));
      stream.on('end', () => {
        mails.push(mail);
        callback();
      });
    },
  });
  const listener = smtp.listen(0, '127.0.0.1');
  await using closing = new AsyncDisposableStack();
  closing.defer(() => new Promise<void>((resolve) => smtp.close(resolve)));
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  await using running = await startTestService({
    environment: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'Waymaker <codes@example.net>' },
  });
  const replaced = {
    'mail.code.subject': 'Your code for\nNorthern Lights',
    'mail.code.intro': 'Here it <is>:',
    'mail.code.lifetime': 'It lasts long.',
  };
  await running.service.database
    .insert(translationOverrides)
    .values(Object.entries(replaced).map(([key, text]) => ({ language: 'en' as const, key, text })));
  const device = new TestDevice(running);
  await device.requestCode(newEmail());
  await expect.poll(() => mails).toHaveLength(1);
  const { subject, text, html } = await PostalMime.parse(mails[0] ?? '');
  expect(subject).toBe('Your code for Northern Lights');
  expect(text).toContain('Here it <is>:');
  expect(html).toContain('Here it &lt;is&gt;:');
  // One without the number of minutes would promise something else.
  expect(text).toContain('The code is valid for');
  expect(text).not.toContain('lasts long');
});

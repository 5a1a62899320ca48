import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import path from 'node:path';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { startMailbox, type Mailbox } from '../../../src/service/mail/mailbox.ts';
import type { MailboxMessage } from '../../../src/service/mail/mailbox-message.ts';
import { newDirectory } from '../test-service.ts';

let mailbox: Mailbox;
let socket: string;
let transport: ReturnType<typeof createTransport>;
beforeAll(async () => {
  socket = path.join(await newDirectory(), 'mailbox.sock');
  mailbox = await startMailbox({ port: 0, socket, now: () => new Date('2026-03-01T12:00:00Z') });
  transport = createTransport({ url: mailbox.smtpUrl, pool: true });
});
afterAll(async () => {
  transport.close();
  await mailbox.close();
});

const messages = async (query = '') =>
  (await (await fetch(`${mailbox.url}/messages${query}`)).json()) as MailboxMessage[];
const send = (to: string | string[], fields: { subject?: string; text?: string; html?: string } = {}) =>
  transport.sendMail({ from: 'Sender <sender@example.net>', to, ...fields });

test('a mail arrives as it was sent', async () => {
  await send('one@example.com', { subject: '您的验证码', text: '正文 1', html: '<p>正文 2</p>' });
  const [message] = await messages();
  expect(message).toEqual({
    id: expect.any(String),
    receivedAt: '2026-03-01T12:00:00.000Z',
    from: 'sender@example.net',
    to: ['one@example.com'],
    subject: '您的验证码',
    text: expect.stringMatching(/^正文 1\s*$/),
    html: expect.stringMatching(/^<p>正文 2<\/p>\s*$/),
  });
  const reply = await fetch(`${mailbox.url}/messages/${message?.id}`);
  expect(await reply.json()).toEqual(message);
});

test('messages come newest first, and of one recipient when asked for', async () => {
  await send('two@example.com', { subject: 'first' });
  await send(['three@example.com', 'Two@example.com'], { subject: 'second' });
  const subjects = async (query: string) => (await messages(query)).map(({ subject }) => subject);
  expect((await subjects('')).slice(0, 2)).toEqual(['second', 'first']);
  expect(await subjects('?to=two@example.com')).toEqual(['second', 'first']);
  expect(await subjects('?to=three@example.com')).toEqual(['second']);
  expect(await subjects('?to=nobody@example.com')).toEqual([]);
});

test('the page shows mail as text, whatever it holds', async () => {
  const hostile = `<script>alert(1)</script> & "quotes' <img src=x>`;
  await send('four@example.com', { subject: hostile, text: hostile });
  const reply = await fetch(mailbox.url);
  const page = await reply.text();
  expect(page).not.toMatch(/<script|<img/);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&#39; &lt;img src=x&gt;');
  expect(reply.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test.each(['attacker.example', 'attacker.example:8025', '127.0.0.1.attacker.example'])(
  'a page that reaches the mailbox as %j is told nothing',
  async (host) => {
    await send('rebound@example.com', { subject: 'secret' });
    for (const where of ['/', '/messages', '/messages/none']) {
      const { status, body } = await get(where, host);
      expect(status).toBe(421);
      expect(body).not.toContain('secret');
    }
  },
);

test.each(['localhost', 'localhost:8025', '127.0.0.1:1', '[::1]:8025'])(
  'the mailbox answers as %s',
  async (host) => {
    expect((await get('/messages', host)).status).toBe(200);
  },
);

function get(where: string, host: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request(new URL(where, mailbox.url), { headers: { host } }, (reply) => {
      text(reply).then((body) => resolve({ status: reply.statusCode, body }), reject);
    })
      .on('error', reject)
      .end();
  });
}

test('an unknown message is not found', async () => {
  expect((await fetch(`${mailbox.url}/messages/none`)).status).toBe(404);
});

test('a mail that is too large is refused', async () => {
  await expect(send('five@example.com', { text: 'x'.repeat(2 ** 20 + 1) })).rejects.toThrow(/552/);
  expect(await messages('?to=five@example.com')).toEqual([]);
});

test('two hundred mails are kept', async () => {
  await Promise.all(Array.from({ length: 201 }, (_, i) => send('six@example.com', { subject: `${i}` })));
  await send('seven@example.com');
  const kept = await messages();
  expect(kept).toHaveLength(200);
  expect(kept[0]?.to).toEqual(['seven@example.com']);
});

test('the mailbox can be read over a Unix socket', async () => {
  const overSocket = await new Promise<string>((resolve, reject) => {
    request({ socketPath: socket, path: '/messages' }, (reply) => {
      text(reply).then(resolve, reject);
    })
      .on('error', reject)
      .end();
  });
  expect(JSON.parse(overSocket)).toEqual(await messages());
});

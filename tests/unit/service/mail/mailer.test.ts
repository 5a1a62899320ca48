import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import tls from 'node:tls';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMailer, type Mailer, type MailerOptions } from '../../../../src/service/mail/mailer.ts';
import { createTestAuthority } from '../../main/support/test-authority.ts';

const refusal = (responseCode: number, text: string) => Object.assign(new Error(text), { responseCode });

interface Sending extends AsyncDisposable {
  mailer: Mailer;
  /** The mail server ends all connections. */
  hangUp(): void;
}

/** A mailer whose mail server answers as these options say. */
async function mailerWith(server: SMTPServerOptions, options: Partial<MailerOptions> = {}): Promise<Sending> {
  const smtp = new SMTPServer({ ...server, disabledCommands: ['AUTH', 'STARTTLS'] });
  // Clients that go away before they are answered.
  smtp.on('error', () => undefined);
  const listener = smtp.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const connections = new Set<Socket>();
  listener.on('connection', (socket: Socket) => void connections.add(socket));
  const { port } = listener.address() as AddressInfo;
  const mailer = createMailer({
    url: `${server.secure ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    from: 'Waymaker <codes@example.net>',
    operatorTexts: async () => ({}),
    ...options,
  });
  return {
    mailer,
    hangUp() {
      for (const socket of connections) socket.destroy();
    },
    async [Symbol.asyncDispose]() {
      mailer.close();
      await new Promise<void>((resolve) => smtp.close(resolve));
    },
  };
}

const code = { to: 'person@example.com', code: '123456', language: 'en' } as const;
const invitation = {
  id: '6f1c1c3e-55f0-4f0c-9d0d-0a3f6d1f1a11',
  to: 'person@example.com',
  from: 'payer@example.com',
  pageUrl: undefined,
  language: 'en',
} as const;

test.each([
  [550, 'no such user here'],
  [550, '5.1.1 user unknown'],
  [550, '5.2.1 mailbox disabled'],
  // Exchange Online, for an address that its directory does not have.
  [550, '5.4.1 recipient address rejected: access denied'],
  [553, '5.1.3 bad address syntax'],
])('an address that takes no mail (%i %s) is the recipient’s', async (responseCode, text) => {
  const onRcptTo: SMTPServerOptions['onRcptTo'] = (_, __, callback) => callback(refusal(responseCode, text));
  await using sending = await mailerWith({ onRcptTo });
  expect(await sending.mailer.sendAuthCode(code)).toMatchObject({ reason: 'no-such-mailbox' });
});

test.each([
  [553, '5.7.1 sender address rejected: not owned by user'],
  [550, 'invalid sender'],
])('a sender whom the server refuses (%i %s) is not the recipient’s fault', async (responseCode, text) => {
  const onMailFrom: SMTPServerOptions['onMailFrom'] = (_, __, callback) =>
    callback(refusal(responseCode, text));
  await using sending = await mailerWith({ onMailFrom });
  expect(await sending.mailer.sendAuthCode(code)).toMatchObject({ ok: false, reason: 'not-sent' });
  expect(await sending.mailer.sendInvitation(invitation)).toMatchObject({ ok: false, reason: 'not-sent' });
});

test.each([
  [553, '5.7.1 sender address rejected: not owned by user'],
  [550, '5.7.1 service unavailable, client host blocked'],
  [550, '5.7.54 unable to relay recipient in non-accepted domain'],
  [550, '5.1.8 bad sender'],
  [550, '5.1.7 invalid sender'],
])(
  'a refusal of the sender once the server knows the recipient is not the recipient’s fault either (%i %s)',
  async (responseCode, text) => {
    const onRcptTo: SMTPServerOptions['onRcptTo'] = (_, __, callback) =>
      callback(refusal(responseCode, text));
    await using sending = await mailerWith({ onRcptTo });
    expect(await sending.mailer.sendAuthCode(code)).toMatchObject({ ok: false, reason: 'not-sent' });
  },
);

test('a server that takes its time has an invitation once, and an invitation has one Message-ID', async () => {
  const held: { id: string | undefined; answer: () => void }[] = [];
  await using sending = await mailerWith(
    {
      onData(stream, _, callback) {
        void (async () => {
          const { messageId: id } = await PostalMime.parse(await buffer(stream));
          held.push({ id, answer: () => callback(null) });
        })();
      },
    },
    { patience: { userWaitsMs: 200, serverTakesMs: 60_000 } },
  );
  // That of a code may not even have got so far.
  const invitations = () =>
    held.filter(({ id }) => id === '<invitation.6f1c1c3e-55f0-4f0c-9d0d-0a3f6d1f1a11@example.net>');
  const invited = sending.mailer.sendInvitation(invitation);
  await expect.poll(invitations).toHaveLength(1);
  // Who waits for a code is told, later than the invitation would have been given up.
  expect(await sending.mailer.sendAuthCode(code)).toMatchObject({ ok: false, reason: 'not-sent' });
  invitations()[0]?.answer();
  expect(await invited).toEqual({ ok: true });
  const again = sending.mailer.sendInvitation(invitation);
  await expect.poll(invitations).toHaveLength(2);
  invitations()[1]?.answer();
  expect(await again).toEqual({ ok: true });
});

test('a server that hangs up before it says that it has taken a mail gets it once', async () => {
  let taken = 0;
  await using sending: Sending = await mailerWith({
    onData(stream) {
      void buffer(stream).then(() => {
        taken += 1;
        sending.hangUp();
      });
    },
  });
  expect(await sending.mailer.sendInvitation(invitation)).toMatchObject({ ok: false, reason: 'not-sent' });
  expect(taken).toBe(1);
  expect(await sending.mailer.sendAuthCode(code)).toMatchObject({ ok: false, reason: 'not-sent' });
  expect(taken).toBe(2);
});

test('a mail server is trusted by the roots of the system, which it may get while the service runs', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'waymaker-mailer-'));
  const bundle = path.join(folder, 'roots.pem');
  const defaultRoots = tls.getCACertificates('default');
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    tls.setDefaultCACertificates(defaultRoots);
    await rm(folder, { recursive: true });
  });
  vi.stubEnv('SSL_CERT_FILE', bundle);
  const authority = await createTestAuthority();
  const { certificate: cert, key } = await authority.issue({ ips: ['127.0.0.1'] });
  await using sending = await mailerWith({ secure: true, cert, key });
  expect(await sending.mailer.sendAuthCode(code)).toMatchObject({ ok: false, reason: 'not-sent' });
  await writeFile(bundle, authority.certificate);
  expect(await sending.mailer.sendAuthCode(code)).toEqual({ ok: true });
});

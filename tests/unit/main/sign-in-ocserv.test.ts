import { afterAll, beforeAll, expect, test } from 'vitest';
import { X509Certificate } from 'node:crypto';
import { run } from '../../lab/process.ts';
import { certificatePin } from '../../../src/main/gateway/certificate-pin.ts';
import { createSignIn } from '../../../src/main/gateway/sign-in.ts';
import { createOneTimeCodes } from '../../lab/one-time-codes.ts';
import { createTestAuthority, type TestCertificate } from './support/certificates.ts';
import { createTestLog } from './support/log.ts';
import { startOcserv, type Ocserv } from './support/ocserv.ts';

const username = '0d3c4a55-53a6-4a3e-a5d3-0e2f4c8b1a77';
const password = 'token <&"> of the device';
const host = 'gw.example.net';

let certificate: TestCertificate;
let plain: Ocserv;
let grouped: Ocserv;
let guarded: Ocserv;
const codes = createOneTimeCodes();

beforeAll(async () => {
  certificate = await (await createTestAuthority()).issue({ names: [host] });
  plain = await startOcserv({
    certificate,
    users: { [username]: { password } },
    banner: 'Welcome & <be> good',
  });
  grouped = await startOcserv({
    certificate,
    users: { [username]: { password, groups: ['one', 'two'] } },
    groups: ['one', 'two'],
  });
  guarded = await startOcserv({
    certificate,
    users: { [username]: { password } },
    oneTimeCodes: [codes.usersFileLine(username)],
  });
});

afterAll(async () => {
  await Promise.all([plain, grouped, guarded].map((server) => server.stop()));
});

/** `code`: what the user answers, who is there if it is given. */
function signInTo(server: Ocserv, credentials = { username, password }, code?: string) {
  const { log, text } = createTestLog();
  const asked: unknown[] = [];
  const pin = certificatePin(new X509Certificate(certificate.certificate));
  const signIn = createSignIn({
    pins: () => ({ [host]: [pin] }),
    openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
    askUser({ form, fields }) {
      asked.push([form.message, fields.map(({ kind, name }) => [kind, name])]);
      return Promise.resolve(new Map([['password', code ?? '']]));
    },
    version: '0.1.0',
    log,
  });
  const gateway = { host, port: server.port };
  const signal = new AbortController().signal;
  const interactive = code !== undefined;
  const result = signIn({ gateway, address: '127.0.0.1', credentials, interactive, signal });
  return { result, asked, log: text };
}

test('ocserv gives a session for the device id and the token', async () => {
  const { result, log } = signInTo(plain);
  expect(await result).toEqual({
    ok: true,
    signedIn: {
      address: '127.0.0.1',
      session: { cookie: expect.stringMatching(/^webvpn=.{20,}/), certificatePin: expect.anything() },
    },
  });
  expect(log()).toContain('Welcome &');
});

test('openconnect prints the same pin for the same gateway', async () => {
  const { result } = signInTo(plain);
  const signedIn = await result;
  const output = await run(
    [
      'openconnect',
      '--authenticate',
      `--user=${username}`,
      '--passwd-on-stdin',
      `--servercert=${signedIn.ok ? signedIn.signedIn.session.certificatePin : ''}`,
      `--resolve=${host}:127.0.0.1`,
      `https://${host}:${plain.port}`,
    ],
    { input: password },
  );
  const fingerprint = /FINGERPRINT='(.*)'/.exec(output)?.[1];
  expect(signedIn.ok && signedIn.signedIn.session.certificatePin).toBe(fingerprint);
});

test('the first group of a group choice is taken', async () => {
  const { result } = signInTo(grouped);
  expect(await result).toMatchObject({ ok: true });
});

test('a wrong token is refused after one try, and neither it nor the cookie is logged', async () => {
  const { result, log } = signInTo(plain, { username, password: 'wrong-token' });
  expect(await result).toEqual({ ok: false, failure: 'sign-in-refused' });
  expect(log()).toContain('Login failed');
  expect(log()).not.toContain('wrong-token');
});

test('a user of no listed group is refused', async () => {
  const { result } = signInTo(grouped, { username: 'nobody-known', password });
  expect(await result).toEqual({ ok: false, failure: 'sign-in-refused' });
});

test('a one-time code is asked for after the token, and only of a user who is there', async () => {
  const ahead = signInTo(guarded);
  expect(await ahead.result).toEqual({ ok: false, failure: 'needs-user' });
  expect(ahead.asked).toEqual([]);

  const code = codes.next();
  const { result, asked, log } = signInTo(guarded, undefined, code);
  expect(await result).toMatchObject({ ok: true });
  expect(asked).toEqual([['Please enter your OTP password.', [['password', 'password']]]]);
  expect(log()).not.toContain(code);
});

test('a wrong code, and one that was used before, is told apart from a refused token', async () => {
  const used = codes.next();
  expect(await signInTo(guarded, undefined, used).result).toMatchObject({ ok: true });
  for (const wrong of [used, '0', '']) {
    expect(await signInTo(guarded, undefined, wrong).result).toEqual({
      ok: false,
      failure: 'answer-refused',
    });
  }
  expect(await signInTo(guarded, { username, password: 'wrong-token' }, '0').result).toEqual({
    ok: false,
    failure: 'sign-in-refused',
  });
});

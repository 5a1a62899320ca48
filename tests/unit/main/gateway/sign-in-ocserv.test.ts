import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../../../lab/runs/process.ts';
import type { AskUser } from '../../../../src/main/gateway/sign-in/auth-answers.ts';
import type { GatewayMemory } from '../../../../src/main/gateway/gateway-memory.ts';
import type { ClientIdentity } from '../../../../src/main/gateway/client-certificate.ts';
import { createSignIn } from '../../../../src/main/gateway/sign-in/sign-in.ts';
import { createOneTimeCodes } from '../../../lab/gateway/one-time-codes.ts';
import {
  createTestAuthority,
  pinOf,
  type TestAuthority,
  type TestCertificate,
} from '../support/test-authority.ts';
import { createTestLog } from '../support/log.ts';
import { createTestMemory } from '../support/memory.ts';
import { startOcserv, type Ocserv } from '../support/ocserv.ts';

const username = '0d3c4a55-53a6-4a3e-a5d3-0e2f4c8b1a77';
const password = 'token <&"> of the device';
const host = 'gw.example.net';

let certificate: TestCertificate;
let plain: Ocserv;
let grouped: Ocserv;
let guarded: Ocserv;
/** Wants a client certificate, alone and with the password. */
let certified: Ocserv;
let both: Ocserv;
let clientAuthority: TestAuthority;
const codes = createOneTimeCodes();

beforeAll(async () => {
  clientAuthority = await createTestAuthority('client authority');
  certificate = await (await createTestAuthority()).issue({ names: [host] });
  plain = await startOcserv({
    certificate,
    users: { [username]: { password } },
    banner: 'Welcome & <be> good',
  });
  grouped = await startOcserv({
    certificate,
    users: { [username]: { password, groups: ['one', 'two'] } },
    groups: ['one[First & best]', 'two', 'three'],
  });
  [certified, both] = (await Promise.all(
    [true, false].map((only) =>
      startOcserv({
        certificate,
        users: { [username]: { password } },
        clientCertificates: { authority: clientAuthority.certificate, only },
      }),
    ),
  )) as [Ocserv, Ocserv];
  guarded = await startOcserv({
    certificate,
    users: { [username]: { password } },
    oneTimeCodes: [codes.usersFileLine(username)],
  });
});

afterAll(async () => {
  await Promise.all([plain, grouped, guarded, certified, both].map((server) => server.stop()));
});

/** `code`: what the user answers, who is there if it is given. */
function signInTo(
  server: Ocserv,
  credentials = { username, password },
  code?: string,
  options: { memory?: GatewayMemory; askUser?: AskUser; identity?: ClientIdentity } = {},
) {
  const { log, text } = createTestLog();
  const asked: unknown[] = [];
  const pin = pinOf(certificate);
  const signIn = createSignIn({
    pins: () => ({ [host]: [pin] }),
    memory: options.memory ?? createTestMemory(),
    identity: () => Promise.resolve(options.identity),
    openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
    askUser(question, abort) {
      if (options.askUser) return options.askUser(question, abort);
      const { form, fields } = question;
      asked.push([form.message, fields.map(({ kind, name }) => [kind, name])]);
      return Promise.resolve(new Map([['password', code ?? '']]));
    },
    log,
  });
  const gateway = { host, port: server.port };
  const signal = new AbortController().signal;
  const interactive = code !== undefined || options.askUser !== undefined;
  const result = signIn({ gateway, address: '127.0.0.1', credentials, interactive, signal });
  return { result, asked, log: text };
}

test('ocserv gives a session for the device id and the token', async () => {
  const { result } = signInTo(plain);
  expect(await result).toEqual({
    ok: true,
    signedIn: {
      gateway: { host, port: plain.port },
      address: '127.0.0.1',
      session: {
        cookie: expect.stringMatching(/^webvpn=.{20,}/),
        certificatePin: expect.anything(),
        tlsSession: expect.any(String),
      },
      banner: 'Welcome &  good',
    },
  });
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

describe('groups', () => {
  const signInAs = (value: string | undefined, memory = createTestMemory(), who = { username, password }) => {
    const asked: unknown[] = [];
    const result = signInTo(grouped, who, undefined, {
      memory,
      askUser({ topic, fields: [field] }) {
        asked.push(topic, field?.kind === 'select' && field.choices);
        return Promise.resolve(value === undefined ? undefined : new Map([['group_list', value]]));
      },
    }).result;
    return { result, asked, memory };
  };

  test('nobody is signed in to a group that the user has not chosen', async () => {
    expect(await signInTo(grouped).result).toEqual({ ok: false, failure: 'needs-group' });
    expect(await signInAs(undefined).result).toEqual({ ok: false, failure: 'sign-in-cancelled' });
  });

  test('the user is asked once, and the gateway knows the session as of the group that they chose', async () => {
    const first = signInAs('two');
    expect(await first.result).toMatchObject({ ok: true });
    expect(first.asked).toMatchObject([
      'group',
      [
        { value: 'one', label: 'First & best' },
        { value: 'two', label: 'two' },
        { value: 'three', label: 'three' },
      ],
    ]);
    await expect.poll(() => grouped.log()).toContain(`of group: 'two'`);

    const again = signInAs(undefined, first.memory);
    expect(await again.result).toMatchObject({ ok: true });
    expect(again.asked).toEqual([]);
    expect(await signInTo(grouped, undefined, undefined, { memory: first.memory }).result).toMatchObject({
      ok: true,
    });
  });

  test('a group that the gateway refuses is not remembered', async () => {
    const memory = createTestMemory();
    expect((await signInAs('three', memory).result).ok).toBe(false);
    const { result, asked } = signInAs('one', memory);
    expect(await result).toMatchObject({ ok: true });
    expect(asked[0]).toBe('group');
  });
});

test('a wrong token is refused after one try, and neither it nor the cookie is logged', async () => {
  const { result, log } = signInTo(plain, { username, password: 'wrong-token' });
  expect(await result).toEqual({ ok: false, failure: 'sign-in-refused' });
  expect(log()).toContain('Login failed');
  expect(log()).not.toContain('wrong-token');
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

describe('client certificates', () => {
  test.each([
    ['alone', () => certified],
    ['with a password', () => both],
  ])('%s: without one it is asked for, and with it the session is there', async (_how, server) => {
    const memory = createTestMemory();
    const at = { host, port: server().port };
    expect(await signInTo(server(), undefined, undefined, { memory }).result).toEqual({
      ok: false,
      failure: 'certificate-required',
    });
    expect(memory.wantsCertificate(at)).toBe(true);

    const identity = await clientAuthority.issue({ client: username });
    expect(await signInTo(server(), undefined, undefined, { identity }).result).toMatchObject({
      ok: true,
      // The gateway may want it for the tunnel, too.
      signedIn: { session: { clientCertificate: identity } },
    });
  });

  test('a session has no certificate if none was presented', async () => {
    const result = await signInTo(plain).result;
    expect(result.ok && result.signedIn.session).not.toHaveProperty('clientCertificate');
  });

  test('one of an unknown authority opens nothing', async () => {
    const identity = await (await createTestAuthority('another')).issue({ client: username });
    for (const server of [certified, both]) {
      // ocserv breaks off without a word, which could as well be the network.
      const { result } = signInTo(server, undefined, undefined, { identity });
      expect(await result).toEqual({ ok: false, failure: 'gateway-unreachable' });
    }
  });

  test('a wrong password beside a good certificate is refused', async () => {
    const identity = await clientAuthority.issue({ client: username });
    const { result } = signInTo(both, { username, password: 'wrong' }, undefined, { identity });
    expect(await result).toEqual({ ok: false, failure: 'sign-in-refused' });
  });
});

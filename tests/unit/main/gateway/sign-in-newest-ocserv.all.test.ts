import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Question } from '../../../../src/main/gateway/sign-in/auth-answers.ts';
import type { ClientIdentity } from '../../../../src/main/gateway/client-certificate.ts';
import { createSignIn } from '../../../../src/main/gateway/sign-in/sign-in.ts';
import { createOneTimeCodes } from '../../../lab/gateway/one-time-codes.ts';
import { whyWithout } from '../../../lab/gateway/ocserv-versions.ts';
import {
  createTestAuthority,
  pinOf,
  type TestAuthority,
  type TestCertificate,
} from '../support/test-authority.ts';
import { createTestLog } from '../support/log.ts';
import { createTestMemory } from '../support/memory.ts';
import { startOcserv, type Ocserv } from '../support/ocserv.ts';

// ocserv from 1.4 on asks for the name and the password in one form; Debian's own is older (sign-in-ocserv.test.ts).
const without = whyWithout('newest');
const host = 'gw.example.net';
const username = '0d3c4a55-53a6-4a3e-a5d3-0e2f4c8b1a77';
const password = 'token <&"> of the device';
const codes = createOneTimeCodes();

describe.skipIf(without)(`the newest ocserv${without === undefined ? '' : `: ${without}`}`, () => {
  let certificate: TestCertificate;
  let clientAuthority: TestAuthority;
  /** Asks for a one-time code, too. */
  let guarded: Ocserv;
  /** Has groups, and hides behind a web page. */
  let hidden: Ocserv;
  /** Wants a client certificate, alone and with the password. */
  let certified: Ocserv;
  let both: Ocserv;

  beforeAll(async () => {
    certificate = await (await createTestAuthority()).issue({ names: [host] });
    clientAuthority = await createTestAuthority('client authority');
    const users = { [username]: { password, groups: ['one', 'two'] } };
    const start = (options: object) => startOcserv({ version: 'newest', certificate, users, ...options });
    const authority = clientAuthority.certificate;
    guarded = await start({ oneTimeCodes: [codes.usersFileLine(username)], banner: 'Welcome' });
    hidden = await start({
      groups: ['one[First]', 'two'],
      lines: ['camouflage = true', 'camouflage_secret = "secret"', 'camouflage_realm = "Nothing here"'],
    });
    certified = await start({ clientCertificates: { authority, only: true } });
    both = await start({
      clientCertificates: { authority, only: false },
      lines: ['pre-login-banner = "Members only"'],
    });
  });

  afterAll(() => Promise.all([guarded, hidden, certified, both].map((server) => server.stop())));

  interface Options {
    secret?: string;
    path?: string;
    identity?: ClientIdentity;
    answer?: (question: Question) => Record<string, string>;
  }

  async function signInTo(server: Ocserv, options: Options = {}) {
    const gateway = { host, port: server.port };
    const memory = createTestMemory();
    memory.setPath(gateway, options.path ?? '/');
    const asked: Question[] = [];
    const signInOptions = {
      pins: () => ({ [host]: [pinOf(certificate)] }),
      memory,
      identity: () => Promise.resolve(options.identity),
      openBrowser: () => Promise.resolve({ kind: 'cancelled' } as const),
      askUser(question: Question) {
        asked.push(question);
        const given = options.answer?.(question);
        return Promise.resolve(given && new Map(Object.entries(given)));
      },
      version: '0.1.0',
      log: createTestLog().log,
    };
    const result = await createSignIn(signInOptions)({
      gateway,
      address: '127.0.0.1',
      credentials: { username, password: options.secret ?? password },
      interactive: options.answer !== undefined,
      signal: new AbortController().signal,
    });
    return { result, asked };
  }

  test('gives a session for the name and the password', async () => {
    const identity = await clientAuthority.issue({ client: username });
    const { result, asked } = await signInTo(both, { identity });
    expect(result).toMatchObject({
      ok: true,
      signedIn: {
        session: { cookie: expect.stringMatching(/^webvpn=.{20,}/), clientCertificate: identity },
        // It stands before the sign-in, in which nobody was asked.
        banner: 'Members only',
      },
    });
    expect(asked).toEqual([]);
  });

  test('a wrong password is a refusal, and the user is not asked for it', async () => {
    const { result, asked } = await signInTo(hidden, {
      secret: 'wrong',
      path: '/?secret',
      answer: () => ({ group_list: 'one' }),
    });
    expect(result).toMatchObject({ ok: false, failure: 'sign-in-refused' });
    expect(asked.map(({ topic }) => topic)).toEqual(['group']);
  });

  test('a one-time code is asked for after the password, and is no refusal', async () => {
    const { result, asked } = await signInTo(guarded, { answer: () => ({ password: codes.next() }) });
    expect(result).toMatchObject({ ok: true, signedIn: { banner: 'Welcome' } });
    expect(asked.map(({ fields }) => fields.map(({ name }) => name))).toEqual([['password']]);

    const wrong = await signInTo(guarded, { answer: () => ({ password: '0' }) });
    expect(wrong.result).toMatchObject({ ok: false, failure: 'answer-refused' });
    expect((await signInTo(guarded)).result).toEqual({ ok: false, failure: 'needs-user' });
  });

  test('a group is chosen, and the entrance that hides behind a web page is found', async () => {
    const { result, asked } = await signInTo(hidden, {
      path: '/?secret',
      answer: () => ({ group_list: 'two' }),
    });
    expect(result).toMatchObject({ ok: true });
    expect(asked.map(({ topic }) => topic)).toEqual(['group']);
    await expect.poll(() => hidden.log()).toContain(`'two'`);
    expect((await signInTo(hidden)).result).toMatchObject({ ok: false });
  });

  test.each([
    ['alone', () => certified],
    ['with a password', () => both],
  ])('a client certificate, %s, is asked for and taken', async (_how, server) => {
    expect((await signInTo(server())).result).toMatchObject({ ok: false, failure: 'certificate-required' });
    const identity = await clientAuthority.issue({ client: username });
    expect((await signInTo(server(), { identity })).result).toMatchObject({ ok: true });
  });
});

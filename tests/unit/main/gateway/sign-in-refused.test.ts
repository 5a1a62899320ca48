import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ConnectToGateway } from '#node/anyconnect/gateway-tls.ts';
import { run } from '../../../lab/runs/process.ts';
import { completed, completeXml, formXml, passwordInput, usernameInput } from '../support/gateway.ts';
import { credentials, host, replyIn, signInForEach } from '../support/play-sign-in.ts';

const played = signInForEach();
const { signIn } = played;

describe('what ends the sign-in', () => {
  test('a wish for a client certificate by its status is told as such', async () => {
    const { result, requests } = await signIn(() => ({ status: 401, reason: 'No certificate' }));
    expect(result).toEqual({ ok: false, failure: 'certificate-required' });
    expect(requests).toHaveLength(1);
  });

  describe('a wish for a client certificate', () => {
    const wish = { body: '<config-auth type="auth-request"><client-cert-request/></config-auth>' };
    const hasFailed = ({ body }: { body: string }) => 'client-cert-fail' in (replyIn(body) ?? {});

    test('without one, gets the form for those who have none', async () => {
      const { result, requests } = await signIn((_request, index) => {
        if (index === 0) return wish;
        return index === 1 ? { body: formXml(usernameInput + passwordInput) } : completed;
      });
      expect(result.ok).toBe(true);
      expect(requests.map(hasFailed)).toEqual([false, true, false]);
      expect(replyIn(requests[1]?.body)).toMatchObject({ type: 'init', 'group-access': expect.anything() });
    });

    test('is met on a new connection', async () => {
      const { result, requests } = await signIn(
        ({ connection, client }) =>
          connection > 0 && client === 'ann' ? { ...completed, body: completeXml } : wish,
        { identity: await played.clientAuthority().issue({ client: 'ann' }) },
      );
      expect(result.ok).toBe(true);
      expect(requests.map(hasFailed)).toEqual([false, false]);
    });

    test.each([
      ['without one', false, [false, true]],
      ['with one that does not suit', true, [false, false, true]],
    ])('ends the sign-in only %s, once the gateway knows', async (_how, hasOne, failed) => {
      const identity = hasOne ? await played.clientAuthority().issue({ client: 'ann' }) : undefined;
      const { result, requests } = await signIn(() => wish, { identity });
      expect(result).toEqual({ ok: false, failure: 'certificate-required' });
      expect(requests.map(hasFailed)).toEqual(failed);
    });

    test('that has been met is none, though it stands beside a form', async () => {
      const { result, requests } = await signIn((_request, index) =>
        index === 0
          ? { body: formXml(usernameInput, { extra: '<client-cert-request/><cert-authenticated/>' }) }
          : completed,
      );
      expect(result.ok).toBe(true);
      expect(requests.map(hasFailed)).toEqual([false, false]);
    });

    const words = 'Certificate Validation Failure';
    test.each([
      ['alone', `<config-auth type="auth-request"><error>${words}</error></config-auth>`],
      ['in a form without fields', `<auth id="main"><error>${words}</error></auth>`],
      ['beside a form', formXml(usernameInput).replace('<form', `<error>${words}</error><form`)],
    ])('may be put in words, %s', async (_where, body) => {
      expect((await signIn(() => ({ body }))).result).toEqual({
        ok: false,
        failure: 'certificate-required',
        words,
      });
    });

    test('that could not be met does not end the form that follows, whose error says just that', async () => {
      const body = formXml(usernameInput).replace('<form', `<error>${words}</error><form`);
      const { result } = await signIn((_request, index) => [wish, { body }][index] ?? completed);
      expect(result.ok).toBe(true);
    });

    test('is the reason for what a gateway refuses to those without', async () => {
      const body = '<config-auth type="auth-request"><error>Login denied</error></config-auth>';
      const { result } = await signIn((_request, index) => (index === 0 ? wish : { body }));
      expect(result).toEqual({ ok: false, failure: 'certificate-required', words: 'Login denied' });
    });
  });
});

describe('what a gateway says beside or instead of a form', () => {
  const errorXml = (text: string, id = '') => `<error id="${id}">${text}</error>`;
  const withError = (inputs: string, text: string) =>
    formXml(inputs).replace('<form', `${errorXml(text)}<form`);

  test.each([
    ['hidden fields', '<input type="hidden" name="state" value="1"/>'],
    ['the device’s own credentials', usernameInput + passwordInput],
    ['a browser', '<input type="sso" name="sso-token"/>'],
  ])('an error beside a form for %s ends the sign-in with its words', async (_what, inputs) => {
    const { result, requests, log } = await signIn(() => ({ body: withError(inputs, 'Account locked') }), {
      interactive: true,
      openBrowser: () => Promise.reject(new Error('opened')),
    });
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused', words: 'Account locked' });
    expect(requests).toHaveLength(1);
    expect(log).toContain('Account locked');
  });

  test('an error beside a form that the user answers is shown with it', async () => {
    const errors: unknown[] = [];
    const { result } = await signIn(
      (_request, index) =>
        index === 0 ? { body: withError('<input type="text" name="answer"/>', 'Wrong code') } : completed,
      {
        interactive: true,
        askUser({ form }) {
          errors.push(form.error);
          return Promise.resolve(new Map([['answer', '1']]));
        },
      },
    );
    expect(result.ok).toBe(true);
    expect(errors).toEqual(['Wrong code']);
  });

  test.each([
    ['beside its end', completeXml.replace('<auth', `${errorXml('No licence left')}<auth`)],
    ['inside its end', completeXml.replace('<title>', `${errorXml('No licence left')}<title>`)],
    ['in the place of its end', `<config-auth type="complete">${errorXml('No licence left')}</config-auth>`],
  ])('an error %s is a refusal, and an earlier cookie is no session', async (_where, body) => {
    const select =
      '<select name="group_list"><option value="1">1</option><option value="2">2</option></select>';
    const { result, log, memory } = await signIn(
      (_request, index) =>
        index === 0
          ? { headers: { 'Set-Cookie': ['webvpn=early'] }, body: formXml(select + usernameInput) }
          : { body },
      { interactive: true, askUser: () => Promise.resolve(new Map([['group_list', '1']])) },
    );
    expect(result).toMatchObject({ ok: false, words: 'No licence left' });
    expect(log).toContain('No licence left');
    expect(memory.group({ host, port: played.port() })).toBeUndefined();
  });

  test('a group without a session is not remembered', async () => {
    const select =
      '<select name="group_list"><option value="1">1</option><option value="2">2</option></select>';
    const { result, memory } = await signIn(
      (_request, index) => ({ body: index === 0 ? formXml(select + usernameInput) : completeXml }),
      { interactive: true, askUser: () => Promise.resolve(new Map([['group_list', '1']])) },
    );
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
    expect(memory.group({ host, port: played.port() })).toBeUndefined();
  });

  const scan = '<csd token="t" ticket="1"/><csdLinux stuburl="/s" starturl="/a" waiturl="/w"/>';
  test.each([
    ['host-scan-required', formXml(usernameInput + passwordInput).replace('<form', `${scan}<form`)],
    [
      'host-scan-required',
      formXml(usernameInput + passwordInput, {
        extra: `<host-scan><host-scan-ticket>1</host-scan-ticket><host-scan-token>t</host-scan-token>
          <host-scan-base-uri>/b</host-scan-base-uri><host-scan-wait-uri>/w</host-scan-wait-uri></host-scan>`,
      }),
    ],
    [
      'several-certificates-required',
      `<config-auth type="auth-request"><multiple-client-cert-request><hash-algorithm>sha256</hash-algorithm>
        </multiple-client-cert-request><random>1</random><cert-authenticated/></config-auth>`,
    ],
  ] as const)('%s is told at once', async (failure, body) => {
    const { result, requests } = await signIn(() => ({ body }));
    expect(result).toEqual({ ok: false, failure });
    expect(requests).toHaveLength(1);
  });

  test('the error of a gateway that misses its host scan is told as such, with its words', async () => {
    const words = 'Cisco Secure Desktop not installed on the client';
    const { result } = await signIn(() => ({
      body: formXml(usernameInput).replace('<form', `${errorXml(words, '13')}<form`),
    }));
    expect(result).toEqual({ ok: false, failure: 'host-scan-required', words });
  });

  test.each([
    ['a page', { body: '<html><body>Hello' }],
    ['a status', { status: 404 }],
    ['a redirect', { status: 302, headers: { Location: '/+webvpn+/index.html' } }],
  ])(
    'a gateway that has its form for GET only, and answers others with %s, is told as old',
    async (_what, other) => {
      const old = `<?xml version="1.0"?><auth id="main"><message>Hello, old friend</message>
      <form method="post" action="/+webvpn+/index.html">${usernameInput}${passwordInput}</form></auth>`;
      const { result, requests } = await signIn(({ method, path }) => {
        if (method !== 'GET') return other;
        return path === '/' ? { status: 302, headers: { Location: '/+webvpn+/index.html' } } : { body: old };
      });
      expect(result).toEqual({ ok: false, failure: 'gateway-too-old', words: 'Hello, old friend' });
      expect(requests.at(-1)?.body).toBe('');
      expect(requests.some(({ body }) => body.includes(credentials.password))).toBe(false);
    },
  );
});

test.each([
  ['Negotiate', 'domain-sign-in-required'],
  ['Basic realm="Corp", NTLM', 'domain-sign-in-required'],
  // What hides behind a web page asks for this (ocserv's camouflage).
  ['Basic realm="Negotiate, please"', 'sign-in-refused'],
])('a gateway that wants %s ends the sign-in: %s', async (challenge, failure) => {
  const headers = { 'WWW-Authenticate': challenge };
  const { result, requests } = await signIn(() => ({ status: 401, headers }));
  expect(result).toEqual({ ok: false, failure });
  expect(requests.some(({ body }) => body.includes(credentials.password))).toBe(false);
});

describe('what fails before there is a connection', () => {
  test('a certificate whose key TLS refuses is one that is missing', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'waymaker-key-'));
    const [key, pem] = ['key', 'pem'].map((name) => join(directory, name)) as [string, string];
    const to = ['-keyout', key, '-out', pem, '-subj', '/CN=ann', '-days', '5'];
    await run(['openssl', 'req', '-x509', '-newkey', 'rsa:1024', '-nodes', ...to]);
    const identity = { certificate: await readFile(pem, 'utf8'), key: await readFile(key, 'utf8') };
    await rm(directory, { recursive: true });
    const { result, log } = await signIn(() => completed, { identity });
    expect(result).toEqual({ ok: false, failure: 'certificate-required' });
    expect(log).toContain('key too small');
  });

  test('whatever goes wrong fails the request', async () => {
    const getIdentity = () => Promise.reject(new Error('no keychain at all'));
    const { result, log } = await signIn(() => completed, { getIdentity });
    expect(result).toEqual({ ok: false, failure: 'gateway-unreachable' });
    expect(log).toContain('no keychain at all');
  });

  test('a connection that never comes is given up on request', async () => {
    const stop = new AbortController();
    const { promise: never } = Promise.withResolvers<never>();
    const connect: ConnectToGateway = () => {
      stop.abort();
      return never;
    };
    const { result } = await signIn(() => completed, { signal: stop.signal, connect });
    expect(result).toEqual({ ok: false, failure: 'gateway-unreachable' });
  });
});

describe('hostile gateways', () => {
  const bomb = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>`;

  test.each([
    ['an entity bomb', `${bomb}${formXml('&b;')}`],
    ['an external entity', `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${formXml('&e;')}`],
    ['a thousand nested elements', `${'<a>'.repeat(1000)}${'</a>'.repeat(1000)}`],
    ['names of the prototype', '<config-auth><__proto__ x="1"/></config-auth>'],
  ])('%s is not read', async (_what, body) => {
    expect((await signIn(() => ({ body }))).result).toEqual({ ok: false, failure: 'sign-in-refused' });
  });

  test('a document type without declarations, as the protocol draft shows it, is read', async () => {
    const { result } = await signIn((_request, index) =>
      index === 0
        ? {
            body: formXml(usernameInput + passwordInput).replace(
              '?>',
              '?><!DOCTYPE auth SYSTEM "config-auth.dtd">',
            ),
          }
        : completed,
    );
    expect(result.ok).toBe(true);
  });

  test('a body without end is cut off', async () => {
    const { result, log } = await signIn(() => ({ body: 'x'.repeat(2 ** 20) }));
    expect(result).toEqual({ ok: false, failure: 'gateway-unreachable' });
    expect(log).toContain('too long');
  });

  test('forms without end are a refusal', async () => {
    const { result, requests } = await signIn((_request, index) => ({
      body: formXml(`<input type="hidden" name="n" value="${index}"/>`),
    }));
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
    expect(requests.length).toBeLessThan(20);
  });

  test('a gateway that never answers is left when the sign-in is aborted', async () => {
    const stop = new AbortController();
    const { result } = await signIn(
      () => {
        stop.abort();
        return { hangs: true };
      },
      { signal: stop.signal },
    );
    expect(result).toEqual({ ok: false, failure: 'gateway-unreachable' });
  });

  test('a change of protocol that nobody asked for means out of order', async () => {
    const headers = { Connection: 'Upgrade', Upgrade: 'other' };
    const { result } = await signIn(() => ({ status: 101, headers }));
    expect(result).toEqual({ ok: false, failure: 'gateway-unreachable' });
  });

  test.each([500, 503])('status %d means out of order, and that the gateway is there', async (status) => {
    expect((await signIn(() => ({ status }))).result).toEqual({
      ok: false,
      failure: 'gateway-unreachable',
      cause: 'gateway-refuses-connections',
    });
  });

  test.each([401, 403, 404])('status %d is a refusal', async (status) => {
    expect((await signIn(() => ({ status }))).result).toEqual({ ok: false, failure: 'sign-in-refused' });
  });
});

import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { XMLParser } from 'fast-xml-parser';
import type { AskUser } from '../../../../src/main/gateway/sign-in/auth-answers.ts';
import type { ConnectToGateway } from '#node/anyconnect/gateway-tls.ts';
import { certificatePin } from '#node/anyconnect/certificate-pin.ts';
import type { ClientIdentity } from '../../../../src/main/gateway/client-certificate.ts';
import type { Interactive } from '../../../../src/main/gateway/sign-in/session.ts';
import { createSignIn } from '../../../../src/main/gateway/sign-in/sign-in.ts';
import type { OpenBrowser } from '../../../../src/main/gateway/sign-in/single-sign-on.ts';
import { createTestAuthority, type TestAuthority, type TestCertificate } from '../support/test-authority.ts';
import {
  completed,
  completeXml,
  formXml,
  passwordInput,
  startTestGateway,
  usernameInput,
  type GatewayAnswer,
  type GatewayScript,
  type TestGateway,
} from '../support/gateway.ts';
import { run } from '../../../lab/runs/process.ts';
import { createTestLog } from '../support/log.ts';
import { createTestMemory } from '../support/memory.ts';

const host = 'gw.example.net';
const credentials = { username: 'device-1', password: 's3cret-t0ken' };

let certificate: TestCertificate;
let clientAuthority: TestAuthority;
let gateway: TestGateway | undefined;

beforeAll(async () => {
  clientAuthority = await createTestAuthority('client authority');
  certificate = await (await createTestAuthority()).issue({ names: [host] });
});

afterEach(async () => {
  await gateway?.close();
  gateway = undefined;
});

/** Plays `script` to one sign-in and tells what came of it. */
async function signIn(
  script: GatewayScript,
  options: {
    interactive?: Interactive;
    openBrowser?: OpenBrowser;
    askUser?: AskUser;
    signal?: AbortSignal;
    identity?: ClientIdentity | undefined;
    getIdentity?: () => Promise<never>;
    connect?: ConnectToGateway;
    isRenewed?: () => Promise<boolean>;
    /** The group that was chosen before. */
    group?: string;
    path?: string;
  } = {},
) {
  const { log, text } = createTestLog();
  gateway = await startTestGateway(certificate, script);
  const pin = certificatePin(new X509Certificate(certificate.certificate));
  const at = { host, port: gateway.port };
  const memory = createTestMemory();
  const { group } = options;
  if (options.path !== undefined) memory.setPath(at, options.path);
  if (group !== undefined) memory.setGroup(at, { value: group, label: group });
  const signer = createSignIn({
    pins: () => ({ [host]: [pin] }),
    memory,
    identity: options.getIdentity ?? (() => Promise.resolve(options.identity)),
    ...(options.connect && { connect: options.connect }),
    openBrowser: options.openBrowser ?? (() => Promise.resolve({ kind: 'cancelled' })),
    askUser: options.askUser ?? (() => Promise.reject(new Error('nobody to ask'))),
    log,
  });
  const result = await signer({
    gateway: at,
    address: '127.0.0.1',
    credentials,
    interactive: options.interactive ?? false,
    isRenewed: options.isRenewed,
    signal: options.signal ?? new AbortController().signal,
  });
  return { result, log: text(), requests: gateway.requests, connections: gateway.connections(), memory };
}

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', parseTagValue: false });
const read = (xml: string | undefined) => parser.parse(xml ?? '') as Record<string, Record<string, unknown>>;
const replyIn = (xml: string | undefined) => read(xml)['config-auth'];

describe('forms', () => {
  test('one form for both, one connection, two exchanges', async () => {
    const { result, requests, connections } = await signIn((_request, index) =>
      index === 0 ? { body: formXml(usernameInput + passwordInput) } : completed,
    );
    expect(result).toMatchObject({ ok: true, signedIn: { session: { cookie: 'webvpn=c00kie+/=' } } });
    expect(connections).toBe(1);
    expect(requests.map(({ path }) => path)).toEqual(['/', '/auth']);
    expect(replyIn(requests[0]?.body)).toMatchObject({
      type: 'init',
      'group-access': `https://${host}:${gateway?.port}/`,
    });
    expect(replyIn(requests[1]?.body)).toMatchObject({
      type: 'auth-reply',
      auth: { username: credentials.username, password: credentials.password },
    });
  });

  test('hidden fields, the chosen group, and opaque data go back', async () => {
    const opaque = '<opaque is-for="sg"><tunnel-group>a &amp; b</tunnel-group><hash>1&#39;2</hash></opaque>';
    const inputs = `${usernameInput}${passwordInput}<input type="hidden" name="csrf" value="a&quot;b"/>
      <input type="submit" name="Login" value="Login"/>
      <select name="group_list" label="Group:"><option value="one">1</option><option value="two" selected="true">2</option></select>`;
    const { result, requests } = await signIn(
      (_request, index) => (index === 0 ? { body: formXml(inputs, { extra: opaque }) } : completed),
      { group: 'one' },
    );
    expect(result.ok).toBe(true);
    const reply = replyIn(requests[1]?.body);
    expect(replyIn(requests[0]?.body)?.['group-select']).toBe('one');
    expect(reply?.['group-select']).toBe('one');
    expect(reply?.['auth']).toEqual({ ...credentials, csrf: 'a"b' });
    expect(reply?.['opaque']).toEqual({ 'is-for': 'sg', 'tunnel-group': 'a & b', hash: "1'2" });
  });

  test('cookies set on the way are sent along', async () => {
    const { requests } = await signIn((_request, index) =>
      index === 0
        ? {
            headers: { 'Set-Cookie': ['webvpncontext=abc; Max-Age=300', 'gone=; expires=x'] },
            body: formXml(usernameInput),
          }
        : completed,
    );
    expect(requests[1]?.headers['cookie']).toBe('webvpncontext=abc');
  });

  test('a session token in the message counts as the cookie', async () => {
    const { result } = await signIn(() => ({
      body: completeXml.replace('<auth', '<session-token>from-xml</session-token><auth'),
    }));
    expect(result).toMatchObject({ ok: true, signedIn: { session: { cookie: 'webvpn=from-xml' } } });
  });

  test('a one-time code is asked of the user, and is never the token again', async () => {
    const asked: unknown[] = [];
    const askUser: AskUser = ({ form, fields, gateway: from, again }) => {
      asked.push([from, form.message, fields.map(({ name }) => name), again]);
      return Promise.resolve(new Map([['answer', '123456']]));
    };
    const script: GatewayScript = (_request, index) => {
      if (index === 0) return { body: formXml(usernameInput + passwordInput) };
      if (index === 1)
        return {
          body: formXml('<input type="password" name="answer" label="Code:"/>', { message: 'Code?' }),
        };
      return completed;
    };
    const { result, requests } = await signIn(script, { interactive: true, askUser });
    expect(result.ok).toBe(true);
    expect(asked).toEqual([[host, 'Code?', ['answer'], false]]);
    // Challenges go back under the name of a password.
    expect(replyIn(requests[2]?.body)?.['auth']).toEqual({ password: '123456' });

    await gateway?.close();
    expect((await signIn(script, { interactive: false, askUser })).result).toEqual({
      ok: false,
      failure: 'needs-user',
    });
    await gateway?.close();
    const cancelled = await signIn(script, { interactive: true, askUser: () => Promise.resolve(undefined) });
    expect(cancelled.result).toEqual({ ok: false, failure: 'sign-in-cancelled' });
  });

  const steps: Record<string, string> = {
    username: formXml(usernameInput, { message: 'Please enter your username.' }),
    password: formXml(passwordInput, { message: 'Please enter your password.' }),
    code: formXml(passwordInput, { message: 'Please enter your OTP password.' }),
    failed: formXml(passwordInput, { message: 'Login failed.\nPlease enter your password.' }),
    both: formXml(usernameInput + passwordInput, { message: 'Please enter your username.' }),
    other: formXml(passwordInput, { message: 'Kennwort' }),
    grouped: formXml(`<select name="group_list"><option value="1">1</option></select>${usernameInput}`),
    error: formXml(passwordInput).replace('<form', '<error>No</error><form'),
    challenge: formXml(passwordInput, { message: 'Kennwort' }).replace('id="main"', 'id="challenge"'),
    second: formXml(`${usernameInput}${passwordInput}<input type="password" name="secondary_password"/>`),
  };
  /** Each form in turn, then the end. */
  const play =
    (...names: string[]): GatewayScript =>
    (_request, index) => {
      const body = steps[names[index] ?? ''];
      return body === undefined ? completed : { body };
    };
  const answersIn = (requests: { body: string }[]) =>
    requests.slice(1).map(({ body }) => replyIn(body)?.['auth']);

  test('a password asked for with other words is a question for the user', async () => {
    const askUser: AskUser = () => Promise.resolve(new Map([['password', '123456']]));
    const { result, requests, log } = await signIn(play('username', 'password', 'code'), {
      interactive: true,
      askUser,
    });
    expect(result.ok).toBe(true);
    expect(answersIn(requests)).toEqual([
      { username: credentials.username },
      { password: credentials.password },
      { password: '123456' },
    ]);
    expect(log).not.toContain('123456');
  });

  test('a password asked for with the same words is a refusal, which the user is not bothered with', async () => {
    const { result, requests } = await signIn(play('username', 'password', 'failed'), { interactive: true });
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
    expect(requests).toHaveLength(3);
  });

  test.each([
    ['ocserv 1.4 and later', ['both', 'failed']],
    ['an error beside the field', ['both', 'error']],
    ['a gateway that asks who it is after a password', ['both', 'username']],
    ['a gateway that repeats both', ['both', 'both']],
  ])('%s refuses a password, which the user is not asked for', async (_what, names) => {
    const { result, requests } = await signIn(play(...names), { interactive: true });
    expect(result).toMatchObject({ ok: false, failure: 'sign-in-refused' });
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['in one form with the user name', ['both', 'other']],
    ['in a form of its own', ['username', 'password', 'other']],
  ])(
    'before the user is asked, whatever the words, the password %s is looked up anew',
    async (_how, names) => {
      const renewed = await signIn(play(...names), {
        interactive: true,
        isRenewed: () => Promise.resolve(true),
      });
      expect(renewed.result).toEqual({ ok: false, failure: 'sign-in-refused' });
      await gateway?.close();
      const asked: unknown[] = [];
      const { result } = await signIn(play(...names), {
        interactive: true,
        isRenewed: () => Promise.resolve(false),
        askUser({ form }) {
          asked.push(form.message);
          return Promise.resolve(new Map([['password', '123456']]));
        },
      });
      expect(result.ok).toBe(true);
      expect(asked).toEqual(['Kennwort']);
    },
  );

  test('a challenge is a question, even if it looks like the password', async () => {
    const { result, requests } = await signIn(play('both', 'challenge'), {
      interactive: true,
      askUser: () => Promise.resolve(new Map([['password', '123456']])),
      isRenewed: () => Promise.reject(new Error('looked up')),
    });
    expect(result.ok).toBe(true);
    expect(answersIn(requests).at(-1)).toEqual({ password: '123456' });
  });

  test('a user name is given in each form that also asks something new', async () => {
    const { result, requests } = await signIn(play('grouped', 'both'), { interactive: true });
    expect(result.ok).toBe(true);
    expect(answersIn(requests)).toEqual([{ username: credentials.username }, credentials]);
  });

  test.each([
    ['for nothing but hidden fields', '<input type="hidden" name="state" value="1"/>', 2],
    ['for a browser', '<input type="sso" name="sso-token"/>', 2],
  ])('the same form %s again is a refusal', async (_what, inputs, posts) => {
    const sso = `<sso-v2-login>https://idp.example/</sso-v2-login><sso-v2-login-final>https://idp.example/end</sso-v2-login-final>
      <sso-v2-token-cookie-name>token</sso-v2-token-cookie-name>`;
    const { result, requests } = await signIn(
      () => ({ body: formXml(inputs).replace('<form', `${sso}<form`) }),
      { interactive: true, openBrowser: () => Promise.resolve({ kind: 'token', token: 'x' }) },
    );
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
    expect(requests).toHaveLength(posts);
  });

  test('a code that is asked for again is asked of the user again, and marked as such', async () => {
    const codes = ['000000', '111111'];
    const again: boolean[] = [];
    const askUser: AskUser = (question) => {
      again.push(question.again);
      return Promise.resolve(new Map([['password', codes[again.length - 1] ?? '']]));
    };
    const { result, requests } = await signIn(play('username', 'password', 'code', 'failed'), {
      interactive: true,
      askUser,
    });
    expect(result.ok).toBe(true);
    expect(again).toEqual([false, true]);
    expect(answersIn(requests).slice(2)).toEqual([{ password: '000000' }, { password: '111111' }]);
  });

  test('beside a code that was wrong, user name and token are given again', async () => {
    const asked: string[][] = [];
    const askUser: AskUser = ({ fields }) => {
      asked.push(fields.map(({ name }) => name));
      return Promise.resolve(new Map([['secondary_password', String(asked.length)]]));
    };
    const { result, requests } = await signIn(play('second', 'second'), { interactive: true, askUser });
    expect(result.ok).toBe(true);
    expect(asked).toEqual([['secondary_password'], ['secondary_password']]);
    expect(answersIn(requests)).toEqual([
      { ...credentials, secondary_password: '1' },
      { ...credentials, secondary_password: '2' },
    ]);
  });

  test.each([
    ['by its status', { status: 401 }],
    ['by beginning again', { body: steps['username'] ?? '' }],
    ['by saying so', { body: '<auth id="main"><message>Wrong code</message></auth>' }],
  ])('a gateway that refuses %s what the user has answered', async (_how, refusal) => {
    const askUser: AskUser = () => Promise.resolve(new Map([['password', '000000']]));
    const script = play('username', 'password', 'code');
    const { result } = await signIn((request, index) => (index === 3 ? refusal : script(request, index)), {
      interactive: true,
      askUser,
    });
    expect(result).toMatchObject({ ok: false, failure: 'answer-refused' });
  });

  test('choices are the user’s where the user is asked anyway, but not the group', async () => {
    const select = (name: string) =>
      `<select name="${name}" label="${name}"><option value="1">1</option><option value="2">2</option></select>`;
    const body = formXml(`${select('group_list')}${select('method')}<input type="text" name="answer"/>`);
    const asked: string[] = [];
    const { requests } = await signIn((_request, index) => (index === 0 ? { body } : completed), {
      interactive: true,
      group: '2',
      askUser({ fields }) {
        asked.push(...fields.map(({ name }) => name));
        return Promise.resolve(
          new Map([
            ['answer', '<&"'],
            ['method', '2'],
          ]),
        );
      },
    });
    expect(asked).toEqual(['method', 'answer']);
    expect(replyIn(requests[1]?.body)).toMatchObject({
      auth: { method: '2', password: '<&"' },
      'group-select': '2',
    });
  });

  test('the same form again is a refusal, and nothing is sent twice', async () => {
    const { result, requests } = await signIn(() => ({
      body: formXml(usernameInput + passwordInput, { message: 'Login failed.' }),
    }));
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
    expect(requests).toHaveLength(2);
  });

  test.each([
    [
      'an error without a form',
      '<config-auth type="auth-request"><error param1="you">Go away, %s</error></config-auth>',
      'Go away, you',
    ],
    ['a message without a form', '<auth id="main"><message>Closed</message></auth>', 'Closed'],
    ['a page that is no XML', '<html><body>Hello', 'none of the protocol'],
    ['nothing', '', 'none of the protocol'],
    [
      'a form to another host',
      formXml(usernameInput, { action: 'https://evil.example/auth' }),
      'another host',
    ],
    ['a field that cannot be named', formXml('<input type="text" name="a b&gt;"/>'), 'none of the protocol'],
    ['a form by GET', formXml(usernameInput).replace('"post"', '"get"'), 'none of the protocol'],
  ])('%s is a refusal, with the reason in the log', async (_what, body, reason) => {
    const { result, requests, log } = await signIn(() => ({ body }));
    expect(result).toMatchObject({ ok: false, failure: 'sign-in-refused' });
    // What is none of the protocol may be for want of another name, or an old gateway's, which is asked by GET.
    const posts = requests.filter(({ method }) => method === 'POST');
    expect(posts).toHaveLength(reason === 'none of the protocol' ? 2 : 1);
    expect(log).toContain(reason);
  });

  test.each([
    ['Cisco’s newer ones, which demand that it begins so', /^AnyConnect/],
    ['ocserv and others, which know the usual one', /^Open AnyConnect VPN Agent v/],
  ])('a gateway gets a name that it takes, and the tunnel the same: %s', async (_what, taken) => {
    let failed = { status: 404 } as GatewayAnswer;
    const script: GatewayScript = ({ headers, body }) => {
      if (!taken.test(String(headers['user-agent']))) return failed;
      return body.includes('auth-reply') ? completed : { body: formXml(usernameInput + passwordInput) };
    };
    for (failed of [{ status: 404 }, { status: 403 }, { body: '<html><body>Hello' }]) {
      const { result, requests, memory } = await signIn(script);
      const agents = requests.map(({ headers }) => String(headers['user-agent']));
      expect(result.ok).toBe(true);
      const at = { host, port: gateway?.port ?? 0 };
      const isUsual = taken.test('Open AnyConnect VPN Agent v');
      expect(agents.map((agent) => taken.test(agent))).toEqual(isUsual ? [true, true] : [false, true, true]);
      // ocserv takes up to version 3 for clients of another protocol.
      expect(agents.every((agent) => /VPN Agent v9\.\d+ /.test(agent))).toBe(true);
      expect(memory.agent(at)).toBe(isUsual ? 'open' : 'compatible');
      const session = result.ok ? result.signedIn.session : undefined;
      expect(session?.agent).toBe(isUsual ? undefined : 'compatible');
      const versions = requests.map(({ body }) => replyIn(body)?.['version']);
      expect(versions.at(-1)).toMatchObject({ '#text': isUsual ? 'v9.12' : 'v9.20' });
      await gateway?.close();
    }
  });

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
        { identity: await clientAuthority.issue({ client: 'ann' }) },
      );
      expect(result.ok).toBe(true);
      expect(requests.map(hasFailed)).toEqual([false, false]);
    });

    test.each([
      ['without one', false, [false, true]],
      ['with one that does not suit', true, [false, false, true]],
    ])('ends the sign-in only %s, once the gateway knows', async (_how, hasOne, failed) => {
      const identity = hasOne ? await clientAuthority.issue({ client: 'ann' }) : undefined;
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

  test('a session without a usable cookie is a refusal', async () => {
    expect((await signIn(() => ({ body: completeXml }))).result).toEqual({
      ok: false,
      failure: 'sign-in-refused',
    });
    await gateway?.close();
    const hostile = completeXml.replace('<auth', '<session-token>a b;c</session-token><auth');
    expect((await signIn(() => ({ body: hostile }))).result).toEqual({
      ok: false,
      failure: 'sign-in-refused',
    });
  });

  test('neither user name, token nor cookie is logged', async () => {
    const { log } = await signIn((_request, index) =>
      index === 0 ? { body: formXml(usernameInput + passwordInput) } : completed,
    );
    const refused = await (async () => {
      await gateway?.close();
      return await signIn(() => ({ body: formXml(usernameInput + passwordInput, { message: 'no' }) }));
    })();
    for (const text of [log, refused.log]) {
      expect(text).not.toContain(credentials.password);
      expect(text).not.toContain('c00kie');
    }
    expect(refused.log).not.toBe('');
  });
});

describe('the encoding of a form', () => {
  const group = 'Université ß';
  const xml = (declaration: string) =>
    `${declaration}<auth id="main"><form><select name="group_list"><option>${group}</option></select>${usernameInput}</form></auth>`;
  const latin = (declaration: string) => Buffer.from(xml(declaration), 'latin1');
  const utf16 = Buffer.from(`\ufeff${xml('<?xml version="1.0" encoding="UTF-16"?>')}`, 'utf16le');

  test.each<[string, Buffer, string?]>([
    ['of its declaration', latin('<?xml version="1.0" encoding="ISO-8859-1"?>')],
    ['of its declaration in other quotes', latin(`<?xml version='1.0' encoding = 'iso-8859-15' ?>`)],
    ['of its Content-Type', latin('<?xml version="1.0"?>'), 'text/xml; charset="iso-8859-1"'],
    [
      'of its declaration, even beside a Content-Type',
      latin('<?xml version="1.0" encoding="latin1"?>'),
      'text/xml; charset=utf-8',
    ],
    ['of its byte order mark', utf16],
    ['of the protocol', Buffer.from(xml('<?xml version="1.0"?>')), 'text/xml'],
    [
      'of the protocol, though its own is unknown',
      Buffer.from(xml('<?xml version="1.0" encoding="x-none"?>')),
    ],
    ['which nobody names', latin('')],
  ])('is that %s', async (_what, body, type) => {
    const { requests } = await signIn((_request, index) =>
      index === 0 ? { body, headers: type === undefined ? {} : { 'Content-Type': type } } : completed,
    );
    expect(replyIn(requests[1]?.body)?.['group-select']).toBe(group);
  });
});

describe('what a form has besides its fields', () => {
  const second = `<input type="text" name="secondary_username" label="Second user:" second-auth="1"/>
    <input type="password" name="secondary_password" label="Second:" second-auth="1"/>`;
  const groupForm = (attributes: string) =>
    formXml(`<select name="group_list"><option value="1" ${attributes}>One</option>
      <option value="2" second-auth="1">Two</option></select>${usernameInput}${passwordInput}${second}`);

  /** Signs in to group 1; the fields that the user is asked for, and the answers that are sent. */
  async function answersOf(attributes: string, answers: [string, string][] = []) {
    const asked: [string, string][] = [];
    const { result, requests } = await signIn(
      (_request, index) => (index === 0 ? { body: groupForm(attributes) } : completed),
      {
        interactive: answers.length > 0,
        group: '1',
        askUser({ fields }) {
          asked.push(...fields.map(({ name, label }): [string, string] => [name, label]));
          return Promise.resolve(new Map(answers));
        },
      },
    );
    expect(result).toMatchObject({ ok: true });
    return { asked, auth: replyIn(requests[1]?.body)?.['auth'] };
  }

  test('a group without a second sign-in needs nothing for it', async () => {
    const { asked, auth } = await answersOf('second-auth="0"');
    expect(asked).toEqual([]);
    expect(auth).toEqual({ ...credentials, secondary_username: '', secondary_password: '' });
  });

  test('a group for which a certificate is enough needs nothing, and is told no password', async () => {
    const { auth } = await answersOf('second-auth="1" noaaa="1"');
    expect(auth).toEqual({ username: '', password: '', secondary_username: '', secondary_password: '' });
  });

  test('a group gives its second user name', async () => {
    const { asked, auth } = await answersOf('second-auth="1" secondary_username="ann"', [
      ['secondary_password', '1'],
    ]);
    expect(asked).toEqual([['secondary_password', 'Second:']]);
    expect(auth).toEqual({ ...credentials, secondary_username: 'ann', secondary_password: '1' });
  });

  test('a second user name that may be changed is asked for, and no answer keeps it', async () => {
    const { asked, auth } = await answersOf(
      'second-auth="1" secondary_username="ann" secondary_username_editable="true"',
      [['secondary_password', '1']],
    );
    expect(asked.map(([name]) => name)).toEqual(['secondary_username', 'secondary_password']);
    expect(auth).toMatchObject({ secondary_username: 'ann' });
  });

  test('a group has its own label for a field', async () => {
    const { asked } = await answersOf(
      'second-auth="1" secondary_username="a" override-name="secondary_password" override-label="PASSCODE:"',
      [['secondary_password', '1']],
    );
    expect(asked).toEqual([['secondary_password', 'PASSCODE:']]);
  });

  test('the end of another sign-in is confirmed, though there is no form', async () => {
    const { result, requests } = await signIn(
      (_request, index) =>
        index === 0
          ? {
              body: `<config-auth type="auth-request"><opaque><hash>1</hash></opaque>
                <auth id="main"><message>Done</message><authentication-complete/></auth></config-auth>`,
            }
          : completed,
      { path: '/sales' },
    );
    expect(result.ok).toBe(true);
    expect(requests.map(({ path }) => path)).toEqual(['/sales', '/sales']);
    expect(replyIn(requests[1]?.body)).toMatchObject({ type: 'auth-reply', opaque: { hash: '1' }, auth: '' });
  });

  test.each([
    '<input type="text" name="a b"/>',
    '<input type="text"/>',
    '<input type="date" name="date"/>',
    '<select label="?"><option>1</option></select>',
    '<select name="empty"/>',
    '<textarea name="text"/>',
  ])('a form with %s is answered without it', async (odd) => {
    const { result, requests } = await signIn((_request, index) =>
      index === 0 ? { body: formXml(odd + usernameInput + passwordInput) } : completed,
    );
    expect(result.ok).toBe(true);
    expect(replyIn(requests[1]?.body)?.['auth']).toEqual(credentials);
  });

  test('a field may be named in any language', async () => {
    const { requests } = await signIn((_request, index) =>
      index === 0
        ? { body: formXml(`${usernameInput}<input type="hidden" name="clé" value="1"/>`) }
        : completed,
    );
    expect(replyIn(requests[1]?.body)?.['auth']).toMatchObject({ clé: '1' });
  });

  test('the banner before a sign-in in which nobody was asked is passed on after it', async () => {
    const form = formXml(usernameInput).replace('<message', '<banner>Only staff</banner><message');
    const { result } = await signIn((_request, index) => (index === 0 ? { body: form } : completed));
    expect(result).toMatchObject({ ok: true, signedIn: { banner: 'Only staff' } });
  });

  test('the banner before a sign-in is passed on with the form, and not again', async () => {
    const banners: unknown[] = [];
    const { result } = await signIn(
      (_request, index) =>
        index === 0
          ? {
              body: formXml('<input type="text" name="answer"/>').replace(
                '<message',
                '<banner>Only staff</banner><message',
              ),
            }
          : completed,
      {
        interactive: true,
        askUser({ form }) {
          banners.push(form.banner);
          return Promise.resolve(new Map([['answer', '1']]));
        },
      },
    );
    expect(banners).toEqual(['Only staff']);
    expect(result.ok && result.signedIn.banner).toBe(undefined);
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
    expect(memory.group({ host, port: gateway?.port ?? 0 })).toBeUndefined();
  });

  test('a group without a session is not remembered', async () => {
    const select =
      '<select name="group_list"><option value="1">1</option><option value="2">2</option></select>';
    const { result, memory } = await signIn(
      (_request, index) => ({ body: index === 0 ? formXml(select + usernameInput) : completeXml }),
      { interactive: true, askUser: () => Promise.resolve(new Map([['group_list', '1']])) },
    );
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
    expect(memory.group({ host, port: gateway?.port ?? 0 })).toBeUndefined();
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

test('the sign-in begins at the server’s own path', async () => {
  const { requests } = await signIn(
    (_request, index) => (index === 0 ? { body: formXml(usernameInput) } : completed),
    { path: '/sales?a=b' },
  );
  expect(requests.map(({ path }) => path)).toEqual(['/sales?a=b', '/auth?a=b']);
  expect(replyIn(requests[0]?.body)?.['group-access']).toBe(`https://${host}:${gateway?.port}/sales?a=b`);
});

test('a form that does not say where its answer goes gets it where it came from', async () => {
  const noAction = formXml(passwordInput).replace(' action="/auth"', '');
  const { requests } = await signIn(
    (_request, index) =>
      [{ body: formXml(usernameInput, { action: '' }) }, { body: noAction }][index] ?? completed,
    { path: '/sales?a=b' },
  );
  expect(requests.map(({ path }) => path)).toEqual(['/sales?a=b', '/sales?a=b', '/sales?a=b']);
});

test('the query of an address goes with every request, on every connection, as camouflage wants it', async () => {
  const { result, requests } = await signIn(
    ({ path: at }, index) => {
      if (!at.includes('?')) return { status: 404 };
      const answers: GatewayAnswer[] = [
        { status: 302, headers: { Location: '/entrance' } },
        { body: formXml(usernameInput) },
        { body: formXml(passwordInput, { action: '/own?y=2' }) },
      ];
      const { headers, ...answer } = answers[index] ?? completed;
      return { ...answer, headers: { ...headers, Connection: 'close' } };
    },
    { path: '/?x=1' },
  );
  expect(result.ok).toBe(true);
  expect(requests.map(({ path: at }) => at)).toEqual(['/?x=1', '/entrance?x=1', '/auth?x=1', '/own?y=2']);
  expect(requests.map(({ connection }) => connection)).toEqual([0, 1, 2, 3]);
});

test('a group that the user chooses has its own form asked for, from the beginning', async () => {
  const select = (selected: string) =>
    `<select name="group_list">${['1', '2'].map((group) => `<option value="${group}"${group === selected ? ' selected="true"' : ''}>G${group}</option>`).join('')}</select>`;
  const topics: string[] = [];
  const { result, requests } = await signIn(
    ({ body }, index) => {
      if (index > 1) return completed;
      const group = /<group-select>(\d)/.exec(body)?.[1];
      return {
        body: formXml(select(group ?? '1') + (group ? usernameInput + passwordInput : passwordInput)),
      };
    },
    {
      interactive: true,
      askUser({ topic }) {
        topics.push(topic);
        return Promise.resolve(new Map([['group_list', '2']]));
      },
    },
  );
  expect(result.ok).toBe(true);
  expect(topics).toEqual(['group']);
  expect(requests.map(({ body }) => replyIn(body)?.['type'])).toEqual(['init', 'init', 'auth-reply']);
  expect(replyIn(requests[2]?.body)).toMatchObject({ auth: { ...credentials }, 'group-select': '2' });
});

describe('redirects', () => {
  test('are followed on the same host with the same message', async () => {
    const { result, requests } = await signIn((request, index) => {
      if (request.path === '/') return { status: 302, headers: { Location: '/+webvpn+/index.html' } };
      return index === 1 ? { body: formXml(usernameInput + passwordInput) } : completed;
    });
    expect(result.ok).toBe(true);
    expect(requests.map(({ path }) => path)).toEqual(['/', '/+webvpn+/index.html', '/auth']);
    expect(requests[1]?.body).toBe(requests[0]?.body);
  });

  test.each([
    ['https://other.example/', { host: 'other.example', port: 443 }, '/'],
    [`https://${host}:444/a?b`, { host, port: 444 }, '/a?b'],
  ])('to %s are not followed here', async (location, to, path) => {
    const { result, requests } = await signIn(() => ({ status: 302, headers: { Location: location } }));
    expect(result).toEqual({ ok: false, failure: 'redirected', to, path, from: '127.0.0.1' });
    expect(requests).toHaveLength(1);
  });

  test.each(['http://gw.example.net/', '//evil.example/'])('to %s is a refusal', async (location) => {
    const { result } = await signIn(() => ({ status: 302, headers: { Location: location } }));
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
  });

  test('without end are a refusal', async () => {
    const { result, requests } = await signIn(() => ({ status: 302, headers: { Location: '/' } }));
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
    expect(requests.length).toBeLessThan(15);
  });
});

describe('single sign-on by browser', () => {
  const login = `<sso-v2-login>https://idp.example/start?a=1&amp;b=2</sso-v2-login>
    <sso-v2-login-final>https://gw.example.net/done</sso-v2-login-final>
    <sso-v2-token-cookie-name>acSamlv2Token</sso-v2-token-cookie-name>`;
  const body = formXml('<input type="sso" name="sso-token"/>').replace('<form', `${login}<form`);
  const script: GatewayScript = (_request, index) => (index === 0 ? { body } : completed);

  test('the token of the browser is the answer', async () => {
    const { result, requests, log } = await signIn(script, {
      interactive: true,
      openBrowser: ({ loginUrl, tokenCookie }) =>
        Promise.resolve({ kind: 'token', token: `token for ${loginUrl} ${tokenCookie}` }),
    });
    expect(result.ok).toBe(true);
    expect(replyIn(requests[1]?.body)?.['auth']).toEqual({
      'sso-token': 'token for https://idp.example/start?a=1&b=2 acSamlv2Token',
    });
    expect(log).not.toContain('token for');
  });

  test('a closed window is a cancelled sign-in', async () => {
    const { result } = await signIn(script, { interactive: true });
    expect(result).toEqual({ ok: false, failure: 'sign-in-cancelled' });
  });

  test('an error at the provider is a refusal', async () => {
    const openBrowser: OpenBrowser = () => Promise.resolve({ kind: 'refused' });
    const { result } = await signIn(script, { interactive: true, openBrowser });
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
  });

  test.each([
    ['the user is not to be bothered', false],
    ['a browser would reach nothing', 'forms'],
  ] as const)('no window is opened while %s', async (_why, interactive) => {
    const { result } = await signIn(script, {
      interactive,
      openBrowser: () => Promise.reject(new Error('opened')),
    });
    expect(result).toEqual({ ok: false, failure: 'needs-user' });
  });

  test('a login page that is not on https is a refusal', async () => {
    const { result } = await signIn(() => ({ body: body.replace('https://idp', 'http://idp') }), {
      interactive: true,
      openBrowser: () => Promise.resolve({ kind: 'token', token: 'token' }),
    });
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
  });
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

  test.each([500, 503])('status %d means out of order', async (status) => {
    expect((await signIn(() => ({ status }))).result).toEqual({ ok: false, failure: 'gateway-unreachable' });
  });

  test.each([401, 403, 404])('status %d is a refusal', async (status) => {
    expect((await signIn(() => ({ status }))).result).toEqual({ ok: false, failure: 'sign-in-refused' });
  });
});

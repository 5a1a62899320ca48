import { describe, expect, test } from 'vitest';
import {
  completed,
  completeXml,
  formXml,
  passwordInput,
  usernameInput,
  type GatewayAnswer,
  type GatewayScript,
} from '../support/gateway.ts';
import { credentials, host, replyIn, signInForEach } from '../support/play-sign-in.ts';

const played = signInForEach();
const { signIn } = played;

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
      'group-access': `https://${host}:${played.port()}/`,
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
      const at = { host, port: played.port() };
      const isUsual = taken.test('Open AnyConnect VPN Agent v');
      expect(agents.map((agent) => taken.test(agent))).toEqual(isUsual ? [true, true] : [false, true, true]);
      // ocserv takes up to version 3 for clients of another protocol.
      expect(agents.every((agent) => /VPN Agent v9\.\d+ /.test(agent))).toBe(true);
      expect(memory.agent(at)).toBe(isUsual ? 'open' : 'compatible');
      const session = result.ok ? result.signedIn.session : undefined;
      expect(session?.agent).toBe(isUsual ? undefined : 'compatible');
      const versions = requests.map(({ body }) => replyIn(body)?.['version']);
      expect(versions.at(-1)).toMatchObject({ '#text': isUsual ? 'v9.12' : 'v9.20' });
      await played.close();
    }
  });

  test('a session without a usable cookie is a refusal', async () => {
    expect((await signIn(() => ({ body: completeXml }))).result).toEqual({
      ok: false,
      failure: 'sign-in-refused',
    });
    await played.close();
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
      await played.close();
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
  ])('is the one %s', async (_what, body, type) => {
    const { requests } = await signIn((_request, index) =>
      index === 0 ? { body, headers: type === undefined ? {} : { 'Content-Type': type } } : completed,
    );
    expect(replyIn(requests[1]?.body)?.['group-select']).toBe(group);
  });
});

test('the sign-in begins at the server’s own path', async () => {
  const { requests } = await signIn(
    (_request, index) => (index === 0 ? { body: formXml(usernameInput) } : completed),
    { path: '/sales?a=b' },
  );
  expect(requests.map(({ path }) => path)).toEqual(['/sales?a=b', '/auth?a=b']);
  expect(replyIn(requests[0]?.body)?.['group-access']).toBe(`https://${host}:${played.port()}/sales?a=b`);
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

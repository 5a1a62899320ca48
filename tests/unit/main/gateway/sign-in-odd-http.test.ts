import { describe, expect, test } from 'vitest';
import { completeXml } from '../support/gateway.ts';
import { signInForEach } from '../support/play-sign-in.ts';

const { signIn } = signInForEach();

const length = `Content-Length: ${completeXml.length}`;
const cookie = 'Set-Cookie: webvpn=c00kie; Secure';
const bytes = completeXml.length.toString(16);

/** What a gateway, or a box in front of it, sends, and browsers and openconnect read. */
describe('an answer that', () => {
  test.each([
    [
      'has characters of control in a header (nodejs/node 27711)',
      ['HTTP/1.1 200 OK', 'X-Box: a\x01b\x7f', cookie, length, '', completeXml],
    ],
    [
      'says its length twice, in both ways',
      ['HTTP/1.1 200 OK', cookie, length, 'Transfer-Encoding: chunked', '', bytes, completeXml, '0', '', ''],
    ],
    [
      'pads the sizes of its pieces',
      [
        'HTTP/1.1 200 OK',
        cookie,
        'Transfer-Encoding: chunked',
        '',
        `${bytes}   `,
        completeXml,
        '0     ',
        '',
        '',
      ],
    ],
    [
      'folds a header',
      [
        'HTTP/1.1 200 OK',
        "Content-Security-Policy: default-src 'self';",
        "  img-src 'self'",
        cookie,
        length,
        '',
        completeXml,
      ],
    ],
    [
      'has long headers',
      ['HTTP/1.1 200 OK', `Content-Security-Policy: ${'a'.repeat(20_000)}`, cookie, length, '', completeXml],
    ],
    ['has a version of its own', ['HTTP/1.2 200 OK', cookie, length, '', completeXml]],
  ])('%s is read', async (_what, lines) => {
    const { result } = await signIn(() => ({ raw: Buffer.from(lines.join('\r\n'), 'latin1') }));
    expect(result).toMatchObject({ ok: true, signedIn: { session: { cookie: 'webvpn=c00kie' } } });
  });

  test('ends its lines with LF alone is read', async () => {
    const lines = ['HTTP/1.1 200 OK', cookie, length, '', completeXml];
    const { result } = await signIn(() => ({ raw: Buffer.from(lines.join('\n')) }));
    expect(result.ok).toBe(true);
  });

  test('sets a cookie that no request can carry is read, without that cookie', async () => {
    const odd = 'Set-Cookie: odd=a\x01b';
    const form = '<auth id="main"><form><input type="hidden" name="a" value="b"/></form></auth>';
    const { result, requests } = await signIn((_request, index) => {
      const body = index === 0 ? form : completeXml;
      const head = ['HTTP/1.1 200 OK', index === 0 ? odd : cookie, `Content-Length: ${body.length}`];
      return { raw: Buffer.from([...head, '', body].join('\r\n'), 'latin1') };
    });
    expect(result.ok).toBe(true);
    expect(requests.map(({ headers }) => headers['cookie'])).toEqual([undefined, undefined]);
  });

  test('has headers without end is given up', async () => {
    const { result } = await signIn(() => ({
      raw: Buffer.from(`HTTP/1.1 200 OK\r\nX-Box: ${'a'.repeat(200_000)}\r\n${length}\r\n\r\n${completeXml}`),
    }));
    expect(result).toMatchObject({ ok: false, failure: 'gateway-unreachable' });
  });
});

import { describe, expect, test } from 'vitest';
import type { OpenBrowser } from '../../../../src/main/gateway/sign-in/single-sign-on.ts';
import { completed, formXml, type GatewayScript } from '../support/gateway.ts';
import { replyIn, signInForEach } from '../support/play-sign-in.ts';

const { signIn } = signInForEach();

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

  test.each([
    ['nothing has changed', ''],
    ['something hidden has changed', '<input type="hidden" name="transaction" value="NUMBER"/>'],
  ])(
    'a gateway that wants another token after the first has refused it, also if %s',
    async (_how, hidden) => {
      let opened = 0;
      const { result } = await signIn(
        (_request, index) => ({
          body: body.replace('<input', `${hidden.replace('NUMBER', `${index}`)}<input`),
        }),
        {
          interactive: true,
          openBrowser() {
            opened += 1;
            return Promise.resolve({ kind: 'token', token: `token ${opened}` });
          },
        },
      );
      expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
      expect(opened).toBe(1);
    },
  );

  test('a login page that is not on https is a refusal', async () => {
    const { result } = await signIn(() => ({ body: body.replace('https://idp', 'http://idp') }), {
      interactive: true,
      openBrowser: () => Promise.resolve({ kind: 'token', token: 'token' }),
    });
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
  });
});

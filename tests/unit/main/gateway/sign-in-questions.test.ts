import { describe, expect, test } from 'vitest';
import type { AskUser } from '../../../../src/main/gateway/sign-in/auth-answers.ts';
import { completed, formXml, passwordInput, usernameInput, type GatewayScript } from '../support/gateway.ts';
import { credentials, host, replyIn, signInForEach } from '../support/play-sign-in.ts';

const played = signInForEach();
const { signIn } = played;

describe('what is asked of the user', () => {
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

    await played.close();
    expect((await signIn(script, { interactive: false, askUser })).result).toEqual({
      ok: false,
      failure: 'needs-user',
    });
    await played.close();
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
      await played.close();
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

  test.each([
    ['alone', ''],
    ['beside what the device knows', usernameInput + passwordInput],
  ])('a choice %s is the user’s', async (_where, inputs) => {
    const method = `<select name="method" label="Method"><option value="push">Push</option><option value="sms">SMS</option></select>`;
    const only = '<select name="only" label="Only"><option value="1">1</option></select>';
    const script: GatewayScript = (_request, index) =>
      index === 0 ? { body: formXml(`${inputs}${only}${method}`) } : completed;
    const asked: string[] = [];
    const { requests } = await signIn(script, {
      interactive: true,
      askUser({ fields }) {
        asked.push(...fields.map(({ name }) => name));
        return Promise.resolve(new Map([['method', 'sms']]));
      },
    });
    expect(asked).toEqual(['method']);
    expect(replyIn(requests[1]?.body)).toMatchObject({ auth: { only: '1', method: 'sms' } });
    await played.close();
    expect((await signIn(script, { interactive: false })).result).toEqual({
      ok: false,
      failure: 'needs-user',
    });
  });

  test.each([
    ['new_password', 'verify_password'],
    ['new_pin', 'verify_pin'],
    ['answer', 'verify_pin'],
  ])('%s is sent only once %s is the same', async (fresh, repeated) => {
    const body = formXml(
      `<input type="password" name="${fresh}"/><input type="password" name="${repeated}"/>`,
    );
    const entered = [
      ['n3w', 'n4w'],
      ['n3w', 'n3w'],
    ];
    const asked: boolean[] = [];
    const { result, requests } = await signIn((_request, index) => (index === 0 ? { body } : completed), {
      interactive: true,
      askUser({ again }) {
        asked.push(again);
        const [first = '', second = ''] = entered[asked.length - 1] ?? [];
        return Promise.resolve(
          new Map([
            [fresh, first],
            [repeated, second],
          ]),
        );
      },
    });
    expect(result.ok).toBe(true);
    expect(asked).toEqual([false, true]);
    expect(requests).toHaveLength(2);
    expect(requests[1]?.body).toContain('n3w');
  });

  test('a code to verify somebody with is no second entry of anything', async () => {
    const body = formXml(
      '<input type="password" name="secondary_password"/><input type="password" name="verify_code"/>',
    );
    const asked: boolean[] = [];
    const { result, requests } = await signIn((_request, index) => (index === 0 ? { body } : completed), {
      interactive: true,
      askUser({ again }) {
        asked.push(again);
        const answers = new Map([
          ['secondary_password', 's3cret'],
          ['verify_code', '4711'],
        ]);
        return Promise.resolve(asked.length === 1 ? answers : undefined);
      },
    });
    expect(result.ok).toBe(true);
    expect(asked).toEqual([false]);
    expect(replyIn(requests[1]?.body)).toMatchObject({
      auth: { secondary_password: 's3cret', verify_code: '4711' },
    });
  });

  test('a refusal of the device’s password is no question, because the user has chosen something beside it', async () => {
    const method = `<select name="method" label="Method"><option value="push">Push</option><option value="sms">SMS</option></select>`;
    const asked: boolean[] = [];
    const { result, requests } = await signIn(
      (_request, index) => ({
        body: formXml(`${usernameInput}${passwordInput}${method}`, {
          message: index === 0 ? 'Please sign in.' : 'Login failed.',
        }),
      }),
      {
        interactive: true,
        askUser({ again }) {
          asked.push(again);
          return Promise.resolve(asked.length > 3 ? undefined : new Map([['method', 'sms']]));
        },
      },
    );
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
    expect(asked).toEqual([false]);
    expect(requests).toHaveLength(2);
  });

  test('a choice that is asked for again is the user’s again', async () => {
    const body = formXml(
      '<select name="method"><option value="push">Push</option><option value="sms">SMS</option></select>',
    );
    const asked: boolean[] = [];
    const { result } = await signIn((_request, index) => (index < 2 ? { body } : completed), {
      interactive: true,
      askUser({ again }) {
        asked.push(again);
        return Promise.resolve(new Map([['method', 'sms']]));
      },
    });
    expect(result.ok).toBe(true);
    expect(asked).toEqual([false, true]);
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
});

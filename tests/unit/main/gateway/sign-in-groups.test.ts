import { describe, expect, test } from 'vitest';
import { completed, formXml, passwordInput, usernameInput } from '../support/gateway.ts';
import { credentials, replyIn, signInForEach } from '../support/play-sign-in.ts';

const played = signInForEach();
const { signIn } = played;

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

describe('a group that was chosen before', () => {
  const offered = (...groups: string[]) =>
    formXml(
      `<select name="group_list">${groups.map((group) => `<option value="${group}">G${group}</option>`).join('')}</select>${usernameInput}${passwordInput}`,
    ).replace('<message', '<message>Please choose.</message><message');

  test('a group of the list is taken again without a question, whatever the gateway says before it', async () => {
    const { result, requests } = await signIn(
      (_request, index) => (index === 0 ? { body: offered('1', '2', '3') } : completed),
      { group: '3' },
    );
    expect(result.ok).toBe(true);
    expect(replyIn(requests[1]?.body)).toMatchObject({ 'group-select': '3' });
  });

  test('a gateway that has one group left gets that one, and not the group of before', async () => {
    const { requests } = await signIn(
      (_request, index) => (index === 0 ? { body: offered('1') } : completed),
      { group: '3' },
    );
    expect(replyIn(requests[1]?.body)).toMatchObject({ 'group-select': '1' });
  });

  test('a gateway that has several others left has the user choose again', async () => {
    const topics: string[] = [];
    const { requests } = await signIn(
      ({ body }) => (body.includes('type="auth-reply"') ? completed : { body: offered('1', '2') }),
      {
        group: '3',
        interactive: true,
        askUser({ topic }) {
          topics.push(topic);
          return Promise.resolve(new Map([['group_list', '2']]));
        },
      },
    );
    expect(topics).toEqual(['group']);
    expect(replyIn(requests.at(-1)?.body)).toMatchObject({ 'group-select': '2' });
  });
});

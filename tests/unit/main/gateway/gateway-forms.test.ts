import { expect, test } from 'vitest';
import { createHostClient } from '#shared/host/client.ts';
import { hostContract } from '#shared/host/contract.ts';
import { gatewayForm, gatewayFormLimits, type GatewayForm } from '#shared/host/gateway-form.ts';
import { createHostServer } from '#shared/host/server.ts';
import type { Question } from '../../../../src/main/gateway/sign-in/auth-answers.ts';
import { createGatewayForms } from '../../../../src/main/gateway/gateway-forms.ts';

const contract = { gatewayForm: hostContract.gatewayForm };
const code = { kind: 'password', name: 'answer', label: 'Code:' } as const;
const method = {
  kind: 'select',
  name: 'method',
  label: 'Method',
  choices: [
    { value: 'a', label: 'App' },
    { value: 'b', label: 'Mail' },
  ],
  selected: 'b',
} as const;

function question(fields: Question['fields'] = [code], form: Partial<Question['form']> = {}): Question {
  return {
    gateway: 'gw.example.net',
    fields,
    topic: 'form',
    again: false,
    form: {
      id: 'main',
      action: '/',
      banner: undefined,
      message: 'Enter your code.',
      error: undefined,
      fields: [...fields],
      singleSignOn: undefined,
      opaque: undefined,
      ...form,
    },
  };
}

/** The forms behind a page, which asks and answers through the contract. */
function setUp() {
  const told: (GatewayForm | null)[] = [];
  const forms = createGatewayForms((form) => told.push(form));
  const server = createHostServer(contract, { gatewayForm: forms.host });
  const page = createHostClient(contract, {
    request: (channel, input) => server.handle(channel, input),
    subscribe: () => () => undefined,
  }).gatewayForm;
  const stop = new AbortController();
  return {
    forms,
    server,
    page,
    told,
    stop,
    ask: (asked = question()) => forms.ask(asked, stop.signal),
    /** The form that is shown. */
    shown: async () => gatewayForm.parse(await page.get()),
  };
}

test('a form is told, can be read by a page that comes later, and is answered once', async () => {
  const { ask, page, shown, told } = setUp();
  expect(await page.get()).toBeNull();
  const answer = ask(question([method, code], { error: 'Last try.' }));
  const form = await shown();
  expect(form).toEqual({
    id: expect.any(String),
    gateway: 'gw.example.net',
    message: 'Last try.\nEnter your code.',
    topic: 'form' as const,
    again: false,
    fields: [
      { kind: 'choice', label: 'Method', choices: method.choices, selected: 'b' },
      { kind: 'secret', label: 'Code' },
    ],
  });
  expect(await page.answer({ id: form.id, answers: ['a', '123 456'] })).toBe(true);
  expect(await answer).toEqual(
    new Map([
      ['method', 'a'],
      ['answer', '123 456'],
    ]),
  );
  expect(await page.answer({ id: form.id, answers: ['a', '654321'] })).toBe(false);
  expect(await page.get()).toBeNull();
  expect(told).toEqual([form, null]);
});

test('a form that the user gives up is answered with nothing', async () => {
  const { ask, page, shown } = setUp();
  const answer = ask();
  expect(await page.answer({ id: (await shown()).id, answers: null })).toBe(true);
  expect(await answer).toBeUndefined();
  expect(await page.get()).toBeNull();
});

test('when the attempt ends, the form goes', async () => {
  const { ask, page, shown, stop, told } = setUp();
  const answer = ask();
  const { id } = await shown();
  stop.abort();
  expect(await answer).toBeUndefined();
  expect(await page.get()).toBeNull();
  expect(await page.answer({ id, answers: ['123456'] })).toBe(false);
  expect(told.at(-1)).toBeNull();
  expect(await ask()).toBeUndefined();
  expect(told).toHaveLength(2);
});

test('a later question takes the place of an earlier one', async () => {
  const { ask, page, shown } = setUp();
  const first = ask();
  const { id } = await shown();
  const second = ask();
  expect(await first).toBeUndefined();
  expect(await page.answer({ id, answers: ['for the first'] })).toBe(false);
  await page.answer({ id: (await shown()).id, answers: ['for the second'] });
  expect(await second).toEqual(new Map([['answer', 'for the second']]));
});

test('a text to read takes no question’s place, and is shown after it', async () => {
  const { forms, ask, page, shown, told } = setUp();
  const answer = ask();
  const { id } = await shown();
  const first = forms.show('other.example.net', 'Maintenance on Sunday.');
  const second = forms.show('other.example.net', 'Maintenance on Monday.');
  expect((await shown()).id).toBe(id);
  await page.answer({ id, answers: ['123456'] });
  expect(await answer).toEqual(new Map([['answer', '123456']]));
  await expect.poll(async () => (await page.get())?.message).toBe('Maintenance on Monday.');
  expect(await first).toBe(false);
  await page.answer({ id: (await shown()).id, answers: [] });
  expect(await second).toBe(true);
  expect(told.at(-1)).toBeNull();
});

test('a text that waits for a question that was given up is shown, too', async () => {
  const { forms, ask, page, stop } = setUp();
  void ask();
  const read = forms.show('other.example.net', 'Maintenance on Sunday.');
  stop.abort();
  await expect.poll(async () => (await page.get())?.topic).toBe('banner');
  await page.answer({ id: (await page.get())?.id ?? '', answers: null });
  expect(await read).toBe(false);
});

test.each([
  ['too few', ['b']],
  ['too many', ['b', '1', '2']],
  ['a choice that was not offered', ['c', '1']],
  ['a line break', ['b', '1\n2']],
  ['too long a text', ['b', 'x'.repeat(gatewayFormLimits.value + 1)]],
  ['something that is no text', ['b', 1]],
])('answers that do not fit are refused, and the form waits on: %s', async (_what, answers) => {
  const { ask, server, shown } = setUp();
  const answer = ask(question([method, code]));
  const { id } = await shown();
  const refused = server.handle('gatewayForm.answer', { id, answers });
  await expect(refused).rejects.toThrow('gatewayForm.answer');
  expect((await shown()).id).toBe(id);
  await server.handle('gatewayForm.answer', { id, answers: ['b', '1'] });
  expect(await answer).toBeDefined();
});

test('what a hostile gateway sends is cut to the contract, and has no marks that turn text around', async () => {
  const { ask, shown } = setUp();
  const long = '😀'.repeat(100_000);
  void ask(
    question(
      [
        { kind: 'text', name: 'a', label: `\u202e${long}` },
        {
          ...method,
          choices: Array.from({ length: 500 }, (_, index) => ({ value: String(index), label: long })),
          selected: '499',
        },
        { ...method, choices: [{ value: long, label: 'only one that is short enough' }, method.choices[0]] },
      ],
      { message: `a\u0000\u001b[31m\u2066b\n\n\n\n\tc${long}` },
    ),
  );
  const form = await shown();
  expect(form.message).toMatch(/^a\[31mb\nc😀+…$/u);
  expect(form.message.length).toBeGreaterThan(gatewayFormLimits.message - 2);
  expect(form.fields).toMatchObject([
    { kind: 'text', label: expect.stringMatching(/^😀+…$/u) },
    { kind: 'choice', selected: '0' },
  ]);
  expect(JSON.stringify(form).length).toBeLessThan(20_000);
});

test('a banner stands before what the gateway asks, and never in its place', async () => {
  const { ask, shown } = setUp();
  const banner = `Only staff & <guests>\n${'x'.repeat(1500)}`;
  void ask(question([code], { banner, error: 'Wrong' }));
  expect((await shown()).message).toBe(`${banner}\nWrong\nEnter your code.`);
  void ask(question([code], { banner: 'x'.repeat(10_000), message: 'y'.repeat(10_000) }));
  const { message } = await shown();
  expect(message.length).toBeLessThanOrEqual(gatewayFormLimits.banner);
  expect(message).toContain('y'.repeat(gatewayFormLimits.message - 1));
});

test.each([
  ['with the gap of an authenticator', '123 456', '123456'],
  ['with another gap', '123\u00a0456', '123456'],
  ['with a hyphen, from a mail', '\u200b1234\u20135678', '12345678'],
  ['in full-width digits', '１２３４５６', '123456'],
  ['in Arabic digits', '\u0660\u0661\u0662\u0663\u0664\u0665', '012345'],
  ['that is a word', 'push 1', 'push 1'],
  ['that is a password', ' 12 3', ' 12 3'],
  ['of letters and digits', 'ab12-cd34', 'ab12-cd34'],
  ['that is far too long', '1234 5678 9012', '1234 5678 9012'],
])('a code %s is given as gateways take it, and anything else as it was typed', async (_, typed, given) => {
  const { ask, page, shown } = setUp();
  const answer = ask();
  await page.answer({ id: (await shown()).id, answers: [typed] });
  expect(await answer).toEqual(new Map([['answer', given]]));
});

test('what is typed where no code is asked for is given as it is', async () => {
  const { ask, page, shown } = setUp();
  const answer = ask(question([{ ...code, label: 'Password:' }], { message: 'Sign in.' }));
  await page.answer({ id: (await shown()).id, answers: ['123 456'] });
  expect(await answer).toEqual(new Map([['answer', '123 456']]));
});

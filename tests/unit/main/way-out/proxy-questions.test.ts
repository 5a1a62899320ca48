import { expect, test } from 'vitest';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import { createSay } from '#shared/texts/say.ts';
import { createGatewayForms } from '../../../../src/main/gateway/gateway-forms.ts';
import { createProxyQuestions } from '../../../../src/main/way-out/proxy-questions.ts';
import type { WayOut } from '../../../../src/main/way-out/way-out.ts';

const way: WayOut = { protocol: 'http', host: 'proxy.example', port: 3128, addresses: ['192.0.2.1'] };

function asking() {
  const shown: (GatewayForm | null)[] = [];
  const kept: unknown[] = [];
  const forms = createGatewayForms((form) => shown.push(form));
  const questions = createProxyQuestions({
    ways: { setCredentials: async (_proxy, credentials) => void kept.push(credentials) },
    askUser: forms.ask,
    isBusy: forms.isWaiting,
    say: createSay('en', 'linux'),
  });
  const answer = (answers: string[] | null) => forms.host.answer({ id: shown.at(-1)?.id ?? '', answers });
  return { shown, kept, forms, questions, answer };
}

test('what cannot be sent to a proxy is asked again, with why, and is not taken for a refusal to answer', async () => {
  const { shown, kept, questions, answer } = asking();
  const asked = questions.ask(way);
  for (const unfit of [
    ['guest', 'x'.repeat(64)],
    ['corp:guest', 'secret'],
    ['guest', ''],
  ]) {
    await answer(unfit);
    await expect.poll(() => shown.at(-1)?.message).toContain('at most 63 characters');
  }
  await answer(['guest', 'secret']);
  await asked;
  expect(kept).toEqual([{ username: 'guest', password: 'secret' }]);
});

test.each([[null], [['', '']]])(
  'a user who answers %j is not asked again by what the app does itself',
  async (nothing) => {
    const { shown, kept, questions, answer } = asking();
    const asked = questions.ask(way);
    await answer(nothing);
    await asked;
    expect(kept).toEqual([]);
    await questions.consider(way);
    expect(shown.filter((form) => form !== null)).toHaveLength(1);
  },
);

test('a proxy that refuses the app in the background does not take the place of what the user is asked', async () => {
  const { shown, forms, questions, answer } = asking();
  const isRead = forms.show('gw.example', 'Welcome.');
  void questions.consider(way);
  expect(shown).toMatchObject([{ gateway: 'gw.example' }]);
  await answer([]);
  expect(await isRead).toBe(true);

  const asked = questions.consider(way);
  // Nor that of another proxy: a script can name any number of them.
  void questions.consider({ ...way, host: 'other.example' });
  expect(shown).toMatchObject([{ gateway: 'gw.example' }, null, { gateway: 'proxy.example' }]);
  await answer(null);
  await asked;
});

test('a question says whether the network has named the proxy, however this computer gets out by the time of the answer', async () => {
  const { shown, questions, answer } = asking();
  for (const [asks, proxyNamedBy] of [
    [way, 'computer'],
    [{ ...way, host: 'wpad.example', isOfNetwork: true }, 'network'],
  ] as const) {
    const asked = questions.ask(asks);
    expect(shown.at(-1)).toMatchObject({ gateway: asks.host, proxyNamedBy });
    await answer(null);
    await asked;
  }
});

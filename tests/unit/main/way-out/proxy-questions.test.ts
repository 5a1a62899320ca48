import { expect, test } from 'vitest';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import { createSay } from '#shared/texts/say.ts';
import { createGatewayForms } from '../../../../src/main/gateway/gateway-forms.ts';
import { createProxyQuestions } from '../../../../src/main/way-out/proxy-questions.ts';
import type { WayOut } from '../../../../src/main/way-out/way-out.ts';

test('a proxy that refuses the app in the background does not take the place of what the user is asked', async () => {
  const shown: (GatewayForm | null)[] = [];
  const forms = createGatewayForms((form) => shown.push(form));
  const answer = async (answers: string[] | null) =>
    await forms.host.answer({ id: shown.at(-1)?.id ?? '', answers });
  const questions = createProxyQuestions({
    ways: { setCredentials: () => Promise.resolve() },
    askUser: forms.ask,
    isBusy: forms.isWaiting,
    say: createSay('en', 'linux'),
  });
  const way: WayOut = { protocol: 'http', host: 'proxy.example', port: 3128, addresses: ['192.0.2.1'] };
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

import { describe, expect, test } from 'vitest';
import type { AskUser } from '../../../../src/main/gateway/sign-in/auth-answers.ts';
import { completed, formXml } from '../support/gateway.ts';
import { signInForEach } from '../support/play-sign-in.ts';

const { signIn } = signInForEach();

describe('a connection that ends while the user thinks', () => {
  const code = formXml('<input type="password" name="answer" label="Code:"/>', { message: 'Code?' });
  const askUser: AskUser = () => Promise.resolve(new Map([['answer', '123456']]));

  test('is opened anew, and the answer is sent there', async () => {
    const { result, requests } = await signIn(
      ({ body, connection }) => {
        if (!body.includes('123456')) return { body: code };
        return connection === 0 ? { ends: true } : completed;
      },
      { interactive: true, askUser },
    );
    expect(result.ok).toBe(true);
    expect(requests.filter(({ body }) => body.includes('123456'))).toMatchObject([
      { connection: 0 },
      { connection: 1 },
    ]);
  });

  test('is not opened again and again', async () => {
    const { result, requests } = await signIn(
      ({ body }) => (body.includes('123456') ? { ends: true } : { body: code }),
      { interactive: true, askUser },
    );
    expect(result).toMatchObject({ ok: false, failure: 'gateway-unreachable' });
    expect(requests).toHaveLength(3);
  });

  test('is not opened anew where an answer has begun: the code is used up', async () => {
    const { result, requests } = await signIn(
      ({ body }) => (body.includes('123456') ? { ends: 'in-answer' } : { body: code }),
      { interactive: true, askUser },
    );
    expect(result).toMatchObject({ ok: false, failure: 'gateway-unreachable' });
    expect(requests).toHaveLength(2);
  });
});

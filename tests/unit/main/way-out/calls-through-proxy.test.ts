import { expect, test } from 'vitest';
import type { ApiResult } from '#shared/api/result.ts';
import { callsThroughProxy } from '../../../../src/main/way-out/calls-through-proxy.ts';
import type { WayOut } from '../../../../src/main/way-out/way-out.ts';

const credentials = (password: string) => ({ username: 'guest', password });

/** A proxy that knows one password, and a user who enters these, then nothing more. */
function behindProxy(typed: readonly string[], isInsideTunnel = false) {
  const rest = [...typed];
  const seen: (string | undefined)[] = [];
  let refused: string | undefined | null = null;
  let password: string | undefined;
  const way = (): WayOut => ({
    protocol: 'http',
    host: 'proxy.example',
    port: 3128,
    addresses: ['192.0.2.1'],
    ...(password !== undefined && { credentials: credentials(password) }),
  });
  const asked: (string | undefined)[] = [];
  const callForUser = callsThroughProxy({
    ways: { to: way, isRefused: (one) => refused !== null && one.credentials?.password === refused },
    questions: {
      ask(one) {
        asked.push(one.credentials?.password);
        password = rest.shift() ?? password;
        return Promise.resolve();
      },
    },
    host: 'api.example',
    isInsideTunnel: () => isInsideTunnel,
  });
  const call = (): Promise<ApiResult<string>> => {
    seen.push(password);
    if (password === 'right') return Promise.resolve({ ok: true, data: 'answer' });
    refused = password;
    return Promise.resolve({ ok: false, failure: { kind: 'network' } });
  };
  return { callForUser, call, seen, asked };
}

test('a call is made again with each password that the user enters, until the proxy accepts one', async () => {
  const { callForUser, call, seen, asked } = behindProxy(['wrong', 'right']);
  expect(await callForUser(call)).toEqual({ ok: true, data: 'answer' });
  expect(seen).toEqual([undefined, 'wrong', 'right']);
  expect(asked).toEqual([undefined, 'wrong']);
});

test('a user who enters nothing is asked once, and again with the next call', async () => {
  const { callForUser, call, asked } = behindProxy([]);
  const failed = { ok: false, failure: { kind: 'network' } };
  expect(await callForUser(call)).toEqual(failed);
  expect(asked).toHaveLength(1);
  expect(await callForUser(call)).toEqual(failed);
  expect(asked).toHaveLength(2);
});

test('nobody is asked where the service is reached through the tunnel, or says something itself', async () => {
  const { callForUser, call, asked } = behindProxy(['right'], true);
  expect((await callForUser(call)).ok).toBe(false);
  const refusal = { ok: false, failure: { kind: 'service', code: 422, msg: 'no' } } as const;
  expect(await behindProxy(['right']).callForUser(() => Promise.resolve(refusal))).toEqual(refusal);
  expect(asked).toEqual([]);
});

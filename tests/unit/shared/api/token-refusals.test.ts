import { expect, test } from 'vitest';
import { createTokenRefusals } from '#shared/api/token-refusals.ts';

/** Somebody who is signed in, and the sign-ins that the service has not answered yet. */
function createDevice() {
  const device = { token: 'first' as string | undefined, ended: 0 };
  const refusals = createTokenRefusals({
    session: () => ({ deviceId: 'device', token: device.token }),
    async endSession() {
      device.ended += 1;
      device.token = undefined;
    },
  });
  const signIn = () => {
    const answer = Promise.withResolvers<string | undefined>();
    const begun = Promise.withResolvers<void>();
    const done = refusals.during(async () => {
      begun.resolve();
      device.token = (await answer.promise) ?? device.token;
    });
    return { answer: answer.resolve, begun: begun.promise, done };
  };
  return { device, refusals, signIn };
}

test('a refused token ends its session once, however often it is refused', async () => {
  const { device, refusals } = createDevice();
  await Promise.all([refusals.refused(), refusals.refused()]);
  expect(device).toEqual({ token: undefined, ended: 1 });
});

test('a token that is refused during a sign-in ends nothing once there is another one', async () => {
  const { device, refusals, signIn } = createDevice();
  const { answer, begun } = signIn();
  await begun;
  const refused = refusals.refused();
  answer('second');
  await refused;
  expect(device).toEqual({ token: 'second', ended: 0 });
});

test('a token that is refused during a sign-in that fails ends the session before the next sign-in begins', async () => {
  const { device, refusals, signIn } = createDevice();
  const mistyped = signIn();
  await mistyped.begun;
  const refused = refusals.refused();
  const again = signIn();
  mistyped.answer(undefined);
  await again.begun;
  expect(device).toEqual({ token: undefined, ended: 1 });
  again.answer('second');
  await Promise.all([refused, again.done]);
  expect(device).toEqual({ token: 'second', ended: 1 });
});

test('a sign-in does not wait for what a session leaves behind', async () => {
  let token: string | undefined = 'first';
  const refusals = createTokenRefusals({
    session: () => ({ deviceId: 'device', token }),
    endSession() {
      token = undefined;
      return new Promise(() => undefined);
    },
  });
  void refusals.refused();
  expect(await refusals.during(async () => token)).toBe(undefined);
});

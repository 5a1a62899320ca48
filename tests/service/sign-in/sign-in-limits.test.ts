import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { defaultLimits, type Limits } from '../../../src/service/limits/limits.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';
import {
  fetchEnvelope,
  newEmail,
  otherCode,
  startTestService,
  TestDevice,
  type TestService,
} from '../test-service.ts';

/** A service behind a proxy, with the limits that it has unless an operator says otherwise. */
const strictService = (limits: Partial<Limits> = {}) =>
  startTestService({
    environment: { WAYMAKER_TRUSTED_PROXIES: '127.0.0.1' },
    limits: { ...defaultLimits, ...limits },
  });

/** Somebody at an address of their own, or at a given one. */
class Stranger {
  readonly deviceId: string;
  private readonly url: string;
  private readonly address: string;

  constructor({ url }: TestService, address = randomAddress(), deviceId: string = randomUUID()) {
    this.url = url;
    this.address = address;
    this.deviceId = deviceId;
  }

  askForCode(email: string) {
    return this.post('get-auth-code', { email });
  }

  guess(authId: unknown, authCode: string) {
    return this.post('auth', { authId, authCode, isDevice: true });
  }

  private post(call: string, body: object) {
    return fetchEnvelope(`${this.url}/api/${call}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': this.address },
      body: JSON.stringify({ ...body, deviceId: this.deviceId, deviceName: 'A device' }),
    });
  }
}

const randomAddress = () => `198.18.${randomInt(256)}.${randomInt(256)}`;
const authIdOf = ({ body }: Awaited<ReturnType<Stranger['askForCode']>>) =>
  (body.data as { authId: string }).authId;
const statusesOf = (replies: { status: number }[]) => replies.map(({ status }) => status);

describe('limits on sign-in', () => {
  test('thirty strangers keep nobody out on a device that the account knows, and send few mails', async () => {
    await using running = await strictService();
    const email = newEmail();
    const owner = new TestDevice(running);
    await owner.signIn(email);
    const before = (await owner.mails(email)).length;
    const statuses: number[] = [];
    for (let i = 0; i < 30; i += 1) statuses.push((await new Stranger(running).askForCode(email)).status);
    expect((await owner.mails(email)).length - before).toBe(defaultLimits.codesPerAccount.burst);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    await owner.signIn(email);
    expect(await owner.client.call('userInfo')).toMatchObject({ ok: true });
  });

  test('one stranger reaches a limit of theirs before one of the account, which others still use', async () => {
    await using running = await strictService();
    const email = newEmail();
    const address = randomAddress();
    const replies: { status: number }[] = [];
    for (let i = 0; i < 12; i += 1) replies.push(await new Stranger(running, address).askForCode(email));
    expect(statusesOf(replies)).toEqual([200, 200, 200, ...Array.from({ length: 9 }, () => 429)]);
    expect(await new Stranger(running).askForCode(email)).toMatchObject({ status: 200 });
  });

  test('one source gets so many codes, whatever the addresses', async () => {
    await using running = await strictService();
    const address = randomAddress();
    const ask = () => new Stranger(running, address).askForCode(newEmail());
    const { burst, perHour } = defaultLimits.codesPerSource;
    for (let i = 0; i < burst; i += 1) expect(await ask()).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status: 429 });
    expect(await new Stranger(running).askForCode(newEmail())).toMatchObject({ status: 200 });
    running.clock.advance({ minutes: 60 / perHour });
    expect(await ask()).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status: 429 });
  });

  test('all new devices together get so many codes, which a source at its limit does not use up', async () => {
    await using running = await strictService({
      codesPerSource: { burst: 2, perHour: 1 },
      codesInAll: { burst: 4, perHour: 1 },
    });
    const known = new TestDevice(running);
    const email = newEmail();
    await known.signIn(email);
    const flooder = randomAddress();
    for (let i = 0; i < 10; i += 1) await new Stranger(running, flooder).askForCode(newEmail());
    // The sign-in gave its code back.
    for (const status of [200, 200, 429]) {
      expect(await new Stranger(running).askForCode(newEmail())).toMatchObject({ status });
    }
    await known.signIn(email);
  });

  test('one customer’s 65,536 sources of IPv6 do not use up what all have together', async () => {
    await using running = await strictService({
      codesPerSite: { burst: 2, perHour: 1 },
      codesInAll: { burst: 7, perHour: 1 },
      guessesPerSite: { burst: 2, perHour: 1 },
      guessesInAll: { burst: 4, perHour: 1 },
    });
    const ofCustomer = (i: number, deviceId?: string) =>
      new Stranger(running, `2001:db8:7:${i.toString(16)}::1`, deviceId);
    const asked: number[] = [];
    for (let i = 0; i < 8; i += 1) asked.push((await ofCustomer(i).askForCode(newEmail())).status);
    expect(asked).toEqual([200, 200, ...Array.from({ length: 6 }, () => 429)]);
    expect((await new Stranger(running, '2001:db8:8::1').askForCode(newEmail())).status).toBe(200);

    const guessed: number[] = [];
    for (let i = 0; i < 3; i += 1) {
      const email = newEmail();
      const asking = new Stranger(running);
      const authId = authIdOf(await asking.askForCode(email));
      const code = await new TestDevice(running).readCode(email);
      // Another device's guess could not be right, and counts for its source only.
      guessed.push((await ofCustomer(i, asking.deviceId).guess(authId, otherCode(code))).status);
    }
    expect(guessed).toEqual([422, 422, 429]);
    await new TestDevice(running).signIn(newEmail());
  });

  test('wrong codes from one source are limited, over all accounts and devices', async () => {
    await using running = await strictService();
    const address = randomAddress();
    const statuses: number[] = [];
    let last: { stranger: Stranger; authId: string; email: string } | undefined;
    for (let account = 0; account < 4; account += 1) {
      const stranger = new Stranger(running, address);
      const email = newEmail();
      const authId = authIdOf(await stranger.askForCode(email));
      const code = await new TestDevice(running).readCode(email);
      for (let i = 1; i <= 4; i += 1)
        statuses.push((await stranger.guess(authId, otherCode(code, i))).status);
      last = { stranger, authId, email };
    }
    const { burst } = defaultLimits.guessesPerSource;
    expect(statuses).toEqual(Array.from({ length: 16 }, (_, i) => (i < burst ? 422 : 429)));
    // Not even the right one is looked at now: the answer would be a guess.
    const code = last && (await new TestDevice(running).readCode(last.email));
    expect(await last?.stranger.guess(last.authId, code ?? '')).toMatchObject({ status: 429 });
  });

  test('a stranger with an account and an address of their own keeps no known device out', async () => {
    await using running = await strictService({ knownGuessesInAll: { burst: 15, perHour: 1 } });
    const owner = new TestDevice(running);
    const ownersEmail = newEmail();
    await owner.signIn(ownersEmail);
    const stranger = new Stranger(running);
    const email = newEmail();
    for (let i = 0; i < 5; i += 1) {
      running.clock.advance({ seconds: 61 });
      const authId = authIdOf(await stranger.askForCode(email));
      const code = await new TestDevice(running).readCode(email);
      // Signed in from here on, and so a device that the stranger's own account knows.
      if (i === 0) expect(await stranger.guess(authId, code)).toMatchObject({ status: 200 });
      else for (let n = 1; n <= 5; n += 1) await stranger.guess(authId, otherCode(code, n));
    }
    await owner.signIn(ownersEmail);
  });

  test('what cannot be right is no guess, and takes nothing from what all have together', async () => {
    await using running = await strictService({ guessesInAll: { burst: 3, perHour: 1 } });
    for (let i = 0; i < 5; i += 1) {
      const reply = await new Stranger(running).guess(randomUUID(), '123456');
      expect(reply).toMatchObject({ status: 422 });
    }
    await new TestDevice(running).signIn(newEmail());
  });

  test('wrong codes from everywhere are limited together, and right ones do not count', async () => {
    await using running = await strictService({ guessesInAll: { burst: 3, perHour: 1 } });
    for (let i = 0; i < 6; i += 1) await new TestDevice(running).signIn(newEmail());
    const statuses: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      const stranger = new Stranger(running);
      const email = newEmail();
      const authId = authIdOf(await stranger.askForCode(email));
      const code = await new TestDevice(running).readCode(email);
      statuses.push((await stranger.guess(authId, otherCode(code))).status);
    }
    expect(statuses).toEqual([422, 422, 422, 429, 429]);
  });

  test('many tries of one code are not all answered', async () => {
    await using running = await strictService();
    const stranger = new Stranger(running);
    const email = newEmail();
    const authId = authIdOf(await stranger.askForCode(email));
    const code = await new TestDevice(running).readCode(email);
    const replies: Awaited<ReturnType<Stranger['guess']>>[] = [];
    // More at once would be cut off by the service's limit on slow requests where the machine is busy.
    for (let from = 0; from < (isExhaustive ? 1000 : 100); from += 50) {
      const tries = Array.from({ length: 50 }, (_, i) =>
        stranger.guess(authId, otherCode(code, from + i + 1)),
      );
      replies.push(...(await Promise.all(tries)));
    }
    const looked = replies.filter(({ status }) => status !== 429);
    expect(looked).toHaveLength(defaultLimits.guessesPerSource.burst);
  });

  test('a clock that is set back keeps nobody out, and the limits hold by the new time', async () => {
    await using running = await strictService({ codesInAll: { burst: 2, perHour: 1 } });
    const ask = () => new Stranger(running).askForCode(newEmail());
    expect((await ask()).status).toBe(200);
    running.clock.advance({ hours: -72 });
    const replies = [await ask(), await ask(), await ask()];
    expect(statusesOf(replies)).toEqual([200, 200, 429]);
  });

  test('a right code that many requests bring at once gives one code back, not many', async () => {
    await using running = await strictService({
      codesInAll: { burst: 3, perHour: 1 },
    });
    await new Stranger(running).askForCode(newEmail());
    await new Stranger(running).askForCode(newEmail());
    const own = new Stranger(running);
    const email = newEmail();
    const authId = authIdOf(await own.askForCode(email));
    const code = await new TestDevice(running).readCode(email);
    const replies = await Promise.all(Array.from({ length: 5 }, () => own.guess(authId, code)));
    expect(statusesOf(replies).filter((status) => status === 200)).toHaveLength(1);
    const next = [
      await new Stranger(running).askForCode(newEmail()),
      await new Stranger(running).askForCode(newEmail()),
    ];
    expect(statusesOf(next)).toEqual([200, 429]);
  });
});

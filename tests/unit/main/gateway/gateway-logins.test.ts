import { beforeEach, describe, expect, test } from 'vitest';
import { createApiClient } from '#shared/api/client.ts';
import { createGatewayLogins } from '../../../../src/main/gateway/gateway-logins.ts';
import { signInWithLogins } from '../../../../src/main/gateway/sign-in/sign-in-with-logins.ts';
import type { SignInResult, SignInWith } from '../../../../src/main/gateway/sign-in/session.ts';
import { createTestLog } from '../support/log.ts';

const gateway = { host: 'GW.example.net', port: 443 };
const other = { host: 'other.example.net', port: 443 };
const login = (password: string) => ({ domain: 'gw.example.net', port: 443, username: 'device', password });

let secrets: Map<string, string>;
/** What the service answers; undefined: it is out of reach. */
let handedOut: ReturnType<typeof login>[] | undefined;
let asked: number;
/** How many calls never end, as one on a connection of a network that is gone. */
let lost: number;
let token: string | undefined;
/** What is wrong with the keychain. */
let broken: string | undefined;
let logged: () => string;

beforeEach(() => {
  secrets = new Map();
  handedOut = [login('of the gateway')];
  asked = 0;
  lost = 0;
  token = 'token';
  broken = undefined;
});

function start() {
  const session = () => ({ deviceId: 'device', token });
  const client = createApiClient({
    baseUrl: 'https://service.example',
    deviceName: 'Test',
    session,
    endSession: async () => undefined,
    fetch: async () => {
      asked += 1;
      if (asked <= lost) return await new Promise(() => undefined);
      if (!handedOut) throw new TypeError('out of reach');
      const text = JSON.stringify({ code: 0, msg: '', data: { items: handedOut } });
      return { status: 200, text: () => Promise.resolve(text) };
    },
  });
  const unlessBroken = <Value>(work: () => Value) => {
    if (broken !== undefined) throw new Error(broken);
    return work();
  };
  const keychain = {
    read: async (account: string) => unlessBroken(() => secrets.get(account) ?? null),
    write: async (account: string, secret: string) => unlessBroken(() => void secrets.set(account, secret)),
    remove: async (account: string) => unlessBroken(() => void secrets.delete(account)),
  };
  const { log, text } = createTestLog();
  logged = text;
  return createGatewayLogins({ client, session, keychain, log });
}

describe('what a gateway is signed in to with', () => {
  test('is what the service hands out for it, and for no other', async () => {
    const logins = start();
    expect(logins.known(gateway)).toBeUndefined();
    expect(await logins.find(gateway)).toEqual({ username: 'device', password: 'of the gateway' });
    expect(logins.known(gateway)).toEqual({ username: 'device', password: 'of the gateway' });
    expect(await logins.find(other)).toBeUndefined();
  });

  test('is found again by the next run while the service is out of reach', async () => {
    await start().refresh();
    handedOut = undefined;
    expect(await start().find(gateway)).toEqual({ username: 'device', password: 'of the gateway' });
  });

  test('is known without a keychain, of which the log says each thing that is wrong once', async () => {
    broken = 'no Secret Service';
    const logins = start();
    for (let times = 0; times < 3; times += 1) await logins.refresh();
    expect(logins.known(gateway)).toMatchObject({ password: 'of the gateway' });
    broken = 'the keychain is locked';
    for (let times = 0; times < 3; times += 1) await logins.refresh();
    const reasons = [...logged().matchAll(/"message":"([^"]*)"/g)].map(([, reason]) => reason);
    expect(reasons).toEqual(['no Secret Service', 'the keychain is locked']);
  });

  test('is asked for once more where the first call gets lost with its network', async () => {
    lost = 1;
    const logins = start();
    void logins.refresh();
    expect(await logins.find(gateway)).toMatchObject({ password: 'of the gateway' });
    expect(asked).toBe(2);
  });

  test('is nothing after another sign-in, or after signing out', async () => {
    const logins = start();
    await logins.refresh();
    handedOut = undefined;
    token = 'newer';
    expect(await logins.find(gateway)).toBeUndefined();
    expect(await start().find(gateway)).toBeUndefined();
    token = 'token';
    await logins.forget();
    expect(secrets.size).toBe(0);
    expect(await start().find(gateway)).toBeUndefined();
  });
});

describe('signing in', () => {
  const signal = new AbortController().signal;
  const request = { gateway, address: '192.0.2.1', interactive: false, signal } as const;

  /** A gateway that takes one password; what it was told. */
  function gatewayTaking(password: string) {
    const told: unknown[] = [];
    const signIn: SignInWith = async ({ credentials }): Promise<SignInResult> => {
      told.push(credentials?.password);
      if (credentials?.password !== password) return { ok: false, failure: 'sign-in-refused' };
      const session = { cookie: 'webvpn=x', certificatePin: 'pin-sha256:x' };
      return { ok: true, signedIn: { gateway, address: '192.0.2.1', session } };
    };
    return { told, signIn };
  }

  test('asks the service again for what the gateway refuses, once', async () => {
    const logins = start();
    await logins.refresh();
    handedOut = [login('newer')];
    const { told, signIn } = gatewayTaking('newer');
    expect(await signInWithLogins(signIn, logins)(request)).toMatchObject({ ok: true });
    expect(told).toEqual(['of the gateway', 'newer']);
  });

  test('a sign-in can ask whether there is something newer, which then begins again with it', async () => {
    const logins = start();
    await logins.refresh();
    handedOut = [login('newer')];
    const told: unknown[] = [];
    const signIn: SignInWith = async ({ credentials, isRenewed }): Promise<SignInResult> => {
      told.push(credentials?.password, await isRenewed?.());
      return { ok: false, failure: 'sign-in-refused' };
    };
    await signInWithLogins(signIn, logins)(request);
    expect(told).toEqual(['of the gateway', true, 'newer', undefined]);
    expect(asked).toBe(2);
  });

  test('is not tried again with what was refused', async () => {
    const logins = start();
    const { told, signIn } = gatewayTaking('another');
    expect(await signInWithLogins(signIn, logins)(request)).toEqual({
      ok: false,
      failure: 'sign-in-refused',
    });
    expect(told).toEqual(['of the gateway']);
    expect(asked).toBe(2);
  });

  test('never tells a gateway the token', async () => {
    handedOut = undefined;
    const { told, signIn } = gatewayTaking('token');
    expect(await signInWithLogins(signIn, start())(request)).toMatchObject({ ok: false });
    expect(told).toEqual([undefined]);
  });
});

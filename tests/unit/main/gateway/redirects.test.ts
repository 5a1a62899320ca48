import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Gateway } from '#shared/tunnel/state.ts';
import { authority } from '../../../../src/main/gateway/authority.ts';
import { followRedirects } from '../../../../src/main/gateway/sign-in/redirects.ts';
import type { GatewayAnswer, SignIn } from '../../../../src/main/gateway/sign-in/session.ts';
import { createSignIn } from '../../../../src/main/gateway/sign-in/sign-in.ts';
import { createTestAuthority, pinOf, type TestCertificate } from '../support/test-authority.ts';
import {
  completed,
  formXml,
  passwordInput,
  startTestGateway,
  usernameInput,
  type GatewayScript,
  type TestGateway,
} from '../support/gateway.ts';
import { createTestLog } from '../support/log.ts';
import { createTestMemory } from '../support/memory.ts';
import { startOcserv, type Ocserv } from '../support/ocserv.ts';

const credentials = { username: 'device-1', password: 's3cret-t0ken' };
const first = 'entry.example.net';
const member = 'member.example.net';

let certificates: Record<string, TestCertificate>;
let real: Ocserv;
const running: TestGateway[] = [];

beforeAll(async () => {
  const authorityOfTest = await createTestAuthority();
  certificates = Object.fromEntries(
    await Promise.all(
      [first, member].map(async (name) => [name, await authorityOfTest.issue({ names: [name] })] as const),
    ),
  );
  real = await startOcserv({
    certificate: certificateOf(member),
    users: { [credentials.username]: { password: credentials.password } },
  });
});

afterAll(() => real.stop());

afterEach(async () => {
  await Promise.all(running.splice(0).map((gateway) => gateway.close()));
});

function certificateOf(name: string): TestCertificate {
  const certificate = certificates[name];
  if (!certificate) throw new Error(`no certificate for ${name}`);
  return certificate;
}

async function start(name: string, script: GatewayScript): Promise<TestGateway> {
  const gateway = await startTestGateway(certificateOf(name), script);
  running.push(gateway);
  return gateway;
}

const redirectTo = (location: string, status = 302) => ({ status, headers: { Location: location } });
const forms: GatewayScript = (_request, index) =>
  index === 0 ? { body: formXml(usernameInput + passwordInput) } : completed;

/** Signs in to the first gateway, and to wherever that leads. */
async function signIn(
  gateway: TestGateway | Gateway,
  options: {
    resolve?: (host: string) => string[];
    reach?: Parameters<SignIn>[0]['reach'];
    credentialsAt?: Parameters<typeof followRedirects>[0]['credentialsAt'];
  } = {},
) {
  const { log, text } = createTestLog();
  const memory = createTestMemory();
  const remembered: [string, string][] = [];
  const addresses = {
    resolve: (host: string) => Promise.resolve(options.resolve?.(host) ?? ['127.0.0.1']),
    remember: (host: string, address: string) => void remembered.push([host, address]),
  };
  const follow = followRedirects({
    signInAt: createSignIn({
      pins: () => ({ [first]: [pinOf(certificateOf(first))], [member]: [pinOf(certificateOf(member))] }),
      memory,
      identity: () => Promise.resolve(undefined),
      openBrowser: () => Promise.resolve({ kind: 'cancelled' }),
      askUser: () => Promise.reject(new Error('nobody to ask')),
      log,
    }),
    addresses,
    memory,
    ...(options.credentialsAt && { credentialsAt: options.credentialsAt }),
    log,
  });
  const result = await follow({
    gateway: { host: first, port: gateway.port },
    address: '127.0.0.1',
    credentials,
    interactive: false,
    signal: new AbortController().signal,
    ...(options.reach && { reach: options.reach }),
  });
  return { result, log: text(), memory, remembered };
}

const hasCredentials = ({ body }: { body: string }) => body.includes(credentials.password);

describe('a gateway that redirects to another host', () => {
  test.each([301, 302, 303, 307, 308])(
    'is followed with status %i to a session of the other gateway',
    async (status) => {
      const there = await start(member, forms);
      const here = await start(first, () =>
        redirectTo(`https://${member}:${there.port}/+CSCOE+/logon?a=b`, status),
      );
      const { result, memory, remembered } = await signIn(here);
      const to = { host: member, port: there.port };
      expect(result).toMatchObject({
        ok: true,
        signedIn: {
          gateway: to,
          address: '127.0.0.1',
          session: { certificatePin: pinOf(certificateOf(member)) },
        },
      });
      expect(here.requests.filter(hasCredentials)).toEqual([]);
      expect(there.requests.map(({ path }) => path)).toEqual(['/+CSCOE+/logon?a=b', '/auth?a=b']);
      expect(there.requests[0]?.body).toContain(`https://${authority(to)}/+CSCOE+/logon?a=b</group-access>`);
      expect(there.requests.map(hasCredentials)).toEqual([false, true]);
      expect(memory.listed(to)).toEqual({ host: first, port: here.port });
      expect(remembered).toContainEqual([member, '127.0.0.1']);
    },
  );

  test('a real one is reached by a redirect', async () => {
    const here = await start(first, () => redirectTo(`https://${member}:${real.port}/`));
    expect((await signIn(here)).result).toMatchObject({
      ok: true,
      signedIn: {
        gateway: { host: member, port: real.port },
        session: { certificatePin: pinOf(certificateOf(member)) },
      },
    });
  });

  test('what was told to the first is not passed on: the sign-in begins again, without its cookies', async () => {
    const there = await start(member, forms);
    const here = await start(first, (_request, index) =>
      index === 0
        ? { headers: { 'Set-Cookie': 'secret=1' }, body: formXml(usernameInput + passwordInput) }
        : redirectTo(`https://${member}:${there.port}/`, 307),
    );
    expect((await signIn(here)).result).toMatchObject({ ok: true });
    expect(here.requests.map(hasCredentials)).toEqual([false, true]);
    expect(there.requests[0]?.headers['cookie']).toBeUndefined();
    expect(there.requests[0]?.body).toContain('type="init"');
    expect(there.requests.map(hasCredentials)).toEqual([false, true]);
  });

  test('a gateway that is itself listed gets its own password, not that of the gateway that redirects to it', async () => {
    const own = { username: 'device-1', password: 'of-the-member' };
    const there = await start(member, forms);
    const here = await start(first, () => redirectTo(`https://${member}:${there.port}/`));
    const credentialsAt = ({ host }: Gateway) => (host === member ? own : undefined);
    expect((await signIn(here, { credentialsAt })).result).toMatchObject({ ok: true });
    expect(there.requests.map(({ body }) => body.includes(own.password))).toEqual([false, true]);
    expect(there.requests.filter(hasCredentials)).toEqual([]);
  });

  test('one that cannot show to be who it is named gets nothing at all', async () => {
    const impostor = await start(first, forms);
    const here = await start(first, () => redirectTo(`https://${member}:${impostor.port}/`));
    expect((await signIn(here)).result).toEqual({ ok: false, failure: 'gateway-certificate-refused' });
    expect(impostor.requests).toEqual([]);
  });

  test.each([
    `http://${member}/`,
    `https://user:password@${member}/`,
    'https://-o.example.net/',
    'https:///',
    'javascript:1',
    'ftp://member.example.net/',
    `https://${member}:0/`,
  ])('nobody goes to %s', async (location) => {
    const here = await start(first, () => redirectTo(location));
    const { result } = await signIn(here, { resolve: () => expect.unreachable('it was looked for') });
    expect(result).toEqual({ ok: false, failure: 'sign-in-refused' });
  });

  test('two that send to each other are given up at once', async () => {
    const here: TestGateway = await start(first, () => redirectTo(`https://${member}:${there.port}/`));
    const there: TestGateway = await start(member, () => redirectTo(`https://${first}:${here.port}/again`));
    expect((await signIn(here)).result).toEqual({ ok: false, failure: 'sign-in-refused' });
    expect([here.requests.length, there.requests.length]).toEqual([1, 1]);
  });

  test('more of them than any cluster needs are given up', async () => {
    let asked = 0;
    const gateways: TestGateway[] = [];
    for (let index = 0; index < 8; index += 1) {
      gateways.push(
        await start(index === 0 ? first : member, () => {
          asked += 1;
          return redirectTo(`https://${member}:${gateways[index + 1]?.port ?? 1}/`);
        }),
      );
    }
    expect((await signIn(gateways[0] as TestGateway)).result).toEqual({
      ok: false,
      failure: 'sign-in-refused',
    });
    expect(asked).toBeLessThanOrEqual(5);
  });

  test('whose name nobody knows is told as such, and one with several addresses is tried at the next of them', async () => {
    const there = await start(member, forms);
    const here = await start(first, () => redirectTo(`https://${member}:${there.port}/`));
    expect((await signIn(here, { resolve: () => [] })).result).toEqual({
      ok: false,
      failure: 'gateway-name-unknown',
    });
    const { result } = await signIn(here, { resolve: () => ['127.0.0.2', '127.0.0.1'] });
    expect(result).toMatchObject({ ok: true, signedIn: { address: '127.0.0.1' } });
  });

  test('where traffic is blocked, the way there is opened before, and nothing is sent if it is not', async () => {
    const there = await start(member, forms);
    const here = await start(first, () => redirectTo(`https://${member}:${there.port}/`));
    const refused = await signIn(here, { reach: () => Promise.resolve([]) });
    expect(refused.result.ok).toBe(false);
    expect(there.connections()).toBe(0);
    const opened: unknown[] = [];
    const { result } = await signIn(here, {
      reach(gateway, address) {
        opened.push(gateway, address, there.connections());
        return Promise.resolve([address]);
      },
    });
    expect(result.ok).toBe(true);
    expect(opened).toEqual([{ host: member, port: there.port }, '127.0.0.1', 0]);
  });
});

describe('a redirect never leads closer to this machine', () => {
  test.each([
    ['203.0.113.1', '127.0.0.1', false],
    ['203.0.113.1', '::1', false],
    ['203.0.113.1', '::ffff:127.0.0.1', false],
    ['203.0.113.1', '0.0.0.0', false],
    ['203.0.113.1', '169.254.169.254', false],
    ['203.0.113.1', '192.168.0.1', false],
    ['2001:db8::1', 'fd00::1', false],
    ['203.0.113.1', '100.64.0.1', false],
    ['10.0.0.1', '127.0.0.1', false],
    ['10.0.0.1', '192.168.0.1', true],
    ['10.0.0.1', '203.0.113.1', true],
    ['203.0.113.1', '2001:db8::1', true],
  ])('from %s to %s: %s', async (from, to, allowed) => {
    const asked: string[] = [];
    const { log } = createTestLog();
    const follow = followRedirects({
      signInAt({ gateway, address }): Promise<GatewayAnswer> {
        asked.push(address);
        if (gateway.host === member) {
          const session = { cookie: 'webvpn=a', certificatePin: pinOf(certificateOf(member)) };
          return Promise.resolve({ ok: true, signedIn: { gateway, address, session } });
        }
        return Promise.resolve({
          ok: false,
          failure: 'redirected',
          to: { host: member, port: 443 },
          path: '/',
        });
      },
      addresses: { resolve: () => Promise.resolve([to]), remember: () => undefined },
      memory: createTestMemory(),
      log,
    });
    const gateway = { host: first, port: 443 };
    const { signal } = new AbortController();
    const result = await follow({ gateway, address: from, credentials, interactive: false, signal });
    expect(result.ok).toBe(allowed);
    expect(asked).toEqual(allowed ? [from, to] : [from]);
  });
});

import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { GatewayForm } from '#shared/host/gateway-form.ts';
import { createSay } from '#shared/texts/say.ts';
import { createGatewayForms } from '../../../../src/main/gateway/gateway-forms.ts';
import { createServiceFetch } from '../../../../src/main/http-fetch.ts';
import { openByWay, wayOutside } from '../../../../src/main/way-out/connect-by-ways.ts';
import { createProxyPasswords } from '../../../../src/main/way-out/proxy-passwords.ts';
import { createProxyQuestions } from '../../../../src/main/way-out/proxy-questions.ts';
import { createWaysOut } from '../../../../src/main/way-out/ways-out.ts';
import { endProcess, eventually } from '../../../lab/runs/process.ts';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { freePort } from '../support/free-port.ts';
import { createTestKeychain } from '../support/keychain.ts';
import { ownAddress } from '../support/own-address.ts';

const log = pino({ enabled: false });

test(
  'the service is reached through the proxy that a script names, whose password is asked for until it is right',
  async () => {
    const own = ownAddress();
    await using ends = new AsyncDisposableStack();
    const folder = await mkdtemp(path.join(os.tmpdir(), 'waymaker-proxy-'));
    ends.defer(() => rm(folder, { recursive: true }));

    // The service, and the script: what is asked of the service by another way than the proxy is an error.
    const port = await freePort();
    const server = createServer(({ url }, reply) => {
      reply.end(
        url === '/proxy.pac'
          ? `function FindProxyForURL(url, host) { return host === "service.example" ? "PROXY ${own}:${port}; DIRECT" : "DIRECT"; }`
          : 'the service',
      );
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.defer(() => void server.close());
    const { port: servicePort } = server.address() as AddressInfo;

    // It alone knows where the service is.
    const file = path.join(folder, 'tinyproxy.conf');
    await writeFile(file, `Port ${port}\nListen ${own}\nTimeout 60\nBasicAuth guest secret\nLogLevel Info\n`);
    const proxy = spawn('tinyproxy', ['-d', '-c', file], { stdio: ['ignore', 'pipe', 'inherit'] });
    ends.defer(() => endProcess(proxy));
    const said: string[] = [];
    createInterface(proxy.stdout).on('line', (line) => said.push(line));
    await eventually(
      'the proxy listens',
      () => said.some((line) => /accepting connections/i.test(line)) || undefined,
    );

    const keychain = createTestKeychain();
    const ways = createWaysOut({
      read: () =>
        Promise.resolve({ kind: 'script', address: `http://127.0.0.1:${servicePort}/proxy.pac` } as const),
      passwords: createProxyPasswords(keychain, log),
      isOpen: () => true,
      log,
    });
    let form: GatewayForm | null = null;
    const shown = () => form;
    const forms = createGatewayForms((now) => {
      form = now;
    });
    const questions = createProxyQuestions({
      ways,
      askUser: forms.ask,
      isBusy: forms.isWaiting,
      say: createSay('en', 'linux'),
    });
    ways.onRefused((way) => void questions.consider(way));
    const { call } = createServiceFetch(
      openByWay(
        wayOutside(ways, () => 'nothing'),
        ways,
      ),
    );
    const ask = (host: string) =>
      call(`http://${host}:${servicePort}/`, { method: 'GET', headers: {} }).then(
        async (reply) => `${reply.status} ${await reply.text()}`,
        (error: unknown) => String(error),
      );
    const answer = async (password: string) => {
      const { id } = await eventually('the question is there', () => shown() ?? undefined);
      await forms.host.answer({ id, answers: ['guest', password] });
      await eventually(
        'the password is kept',
        () => [...keychain.secrets.values()].some((one) => one.includes(password)) || undefined,
      );
    };

    expect(await ask('127.0.0.1'), 'directly, as the script says').toBe('200 the service');
    expect(await ask('service.example')).toContain('the proxy: wants a name and a password');
    expect(shown()).toMatchObject({ gateway: own, fields: [{ kind: 'text' }, { kind: 'secret' }] });
    expect(shown()?.message).not.toContain('not accepted');
    await answer('wrong');
    expect(await ask('service.example')).toContain('the proxy: ');
    expect((await eventually('it is asked again', () => shown() ?? undefined)).message).toContain(
      'did not accept',
    );
    await answer('secret');
    // The proxy does not know the name, either, and says so only to those whom it lets through.
    expect(await ask('service.example')).toContain('answers 5');
    await eventually('the proxy says so', () => said.join('\n').includes('service.example') || undefined);
    expect(shown()).toBeNull();

    // A user who does not want to enter any is left alone, until they want to connect.
    keychain.secrets.clear();
    const way = ways.to('service.example');
    if (!way) throw new Error('no proxy');
    await ways.setCredentials(way, { username: 'guest', password: 'old' });
    await ask('service.example');
    const { id } = await eventually('it is asked', () => shown() ?? undefined);
    await forms.host.answer({ id, answers: null });
    await ask('service.example');
    expect(shown()).toBeNull();
    const refused = ways.to('service.example');
    if (!refused) throw new Error('no proxy');
    expect(ways.isRefused(refused)).toBe(true);
    void questions.ask(refused);
    expect(shown()).not.toBeNull();
    await answer('secret');
    expect(ways.isRefused(ways.to('service.example') ?? refused)).toBe(false);
  },
  waitLimit(60_000),
);

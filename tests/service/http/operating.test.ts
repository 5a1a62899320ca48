import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { callbackify, promisify } from 'node:util';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { expect, inject, test } from 'vitest';
import { freePort } from '../../unit/main/support/free-port.ts';
import { readEvents } from '../events/event-reader.ts';
import { createDatabase, programDirectory } from '../postgresql-server.ts';
import { startProgram } from '../service-process.ts';
import {
  newDirectory,
  newEmail,
  newEnvironment,
  production,
  signedIn,
  startTestService,
  TestDevice,
} from '../test-service.ts';
import { nginx, startProxy } from './reverse-proxies.ts';

/** An SMTP server, and the newest code that each address was sent. */
async function startSmtp() {
  const codes = new Map<string, string>();
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    onData(stream, { envelope }, done) {
      const read = async () => {
        const { text } = await PostalMime.parse(await buffer(stream));
        const code = /^\d{6}$/m.exec(text ?? '')?.[0] ?? '';
        for (const { address } of envelope.rcptTo) codes.set(address, code);
      };
      callbackify(read)(done);
    },
  });
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  return {
    codes,
    url: `smtp://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

/** A console of one version: a page and a file with a name of its own. */
async function writeConsole(version: string): Promise<string> {
  const directory = path.join(await newDirectory(), version);
  await mkdir(path.join(directory, 'assets'), { recursive: true });
  await writeFile(path.join(directory, 'index.html'), version);
  await writeFile(path.join(directory, `assets/page-${version}.js`), version);
  return directory;
}

const operating = path.resolve(import.meta.dirname, '../../../docs/operating.md');

/** nginx as docs/operating.md has it, in the http block of Debian's nginx.conf, but without TLS. */
async function documentedNginx(port: number, upstreams: string[]): Promise<string> {
  const text = await readFile(operating, 'utf8');
  const [, block = ''] = /```nginx\n(.*?)```/s.exec(text) ?? [];
  const site = block
    .replace(/^ *ssl_.*\n/gm, '')
    .replace('443 ssl http2', `127.0.0.1:${port}`)
    .replace('127.0.0.1:8787', upstreams[0] ?? '')
    .replace('127.0.0.1:8788', upstreams[1] ?? '');
  return `
    daemon off;
    pid nginx.pid;
    error_log stderr;
    events { worker_connections 768; }
    http {
      sendfile on; tcp_nopush on; types_hash_max_size 2048; gzip on; access_log off;
      client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi; scgi_temp_path scgi;
      ${site}
    }`;
}

test('two versions in production behind the documented nginx: files of both, events, and each killed in turn', async () => {
  await using smtp = await startSmtp();
  const environment = {
    ...(await newEnvironment('postgresql')),
    ...production,
    SMTP_URL: smtp.url,
    WAYMAKER_PUBLIC_URL: 'https://vpn.example.net',
    WAYMAKER_TRUSTED_PROXIES: '127.0.0.1',
  };
  const start = async (version: string, servicePort = '0') =>
    startProgram('index.ts', {
      ...environment,
      WAYMAKER_CONSOLE_DIR: await writeConsole(version),
      WAYMAKER_SERVICE_PORT: servicePort,
    });
  // It comes back to where it was.
  await using one = await start('old', String(await freePort()));
  await using two = await start('new');
  const port = await freePort();
  const upstreams = [one, two].map((process) => new URL(process.url).host);
  await using _ = await startProxy(nginx, port, await documentedNginx(port, upstreams));
  const url = `http://127.0.0.1:${port}`;

  for (const version of ['old', 'old', 'new', 'new', 'old', 'new']) {
    expect((await fetch(`${url}/assets/page-${version}.js`)).status).toBe(200);
  }
  expect((await fetch(`${url}/assets/page-none.js`)).status).toBe(404);

  const email = newEmail();
  async function signIn(): Promise<TestDevice> {
    const device = new TestDevice({ url, service: { mailboxUrl: undefined } });
    const authId = await device.requestCode(email);
    expect(await device.verify(authId, smtp.codes.get(email) ?? '')).toMatchObject({ ok: true });
    return device;
  }
  const device = await signIn();
  {
    await using stream = await readEvents(url, device);
    await signIn();
    await expect.poll(() => stream.events).toContain('devices');
  }

  await one.kill();
  for (let call = 0; call < 6; call += 1) {
    expect(await device.client.call('userInfo')).toMatchObject({ ok: true, data: { email } });
  }
  expect((await fetch(`${url}/assets/page-new.js`)).status).toBe(200);
  await using back = await start('new', new URL(one.url).port);
  await two.kill();
  expect(back.url).toBe(one.url);
  for (let call = 0; call < 6; call += 1) {
    expect(await device.client.call('userInfo')).toMatchObject({ ok: true, data: { email } });
  }
  await using again = await readEvents(url, device);
  expect(again.status).toBe(200);
  await device.client.call('revokeDevices');
  await again.over;
});

test('the documented nginx passes on which host was asked for, so that pages that have moved are found', async () => {
  const consoleUrl = 'https://console.example.net';
  await using running = await startTestService({
    environment: {
      ...production,
      WAYMAKER_PUBLIC_URL: 'https://vpn.example.net',
      WAYMAKER_CONSOLE_URL: consoleUrl,
      WAYMAKER_TRUSTED_PROXIES: '127.0.0.1',
    },
  });
  const port = await freePort();
  const { host } = new URL(running.url);
  await using _ = await startProxy(nginx, port, await documentedNginx(port, [host, host]));
  const asked = get({ port, path: '/store/products', headers: { host: 'vpn.example.net' }, agent: false });
  const [reply] = await once(asked, 'response');
  reply.resume();
  expect(reply.statusCode).toBe(302);
  expect(reply.headers.location).toBe(`${consoleUrl}/store/products`);
});

test('a database is restored as documented, and the service goes on with it', async () => {
  const socket = inject('postgresqlSocket');
  const name = `backup_${randomUUID().replaceAll('-', '')}`;
  const environment = {
    ...(await newEnvironment('postgresql')),
    DATABASE_URL: await createDatabase(socket, name),
  };
  const first = await startTestService({ environment });
  const device = await signedIn(first, newEmail());
  const documented = await readFile(operating, 'utf8');
  const [, backUp = '', restore = ''] =
    /## Backups.*?```sh\n(.*?)```.*?```sh\n(.*?)```/s.exec(documented) ?? [];
  const cwd = await newDirectory();
  const run = async (commands: string) => {
    // As the user that the service connects as, whoever that is here.
    const env = {
      PATH: `${programDirectory()}:${process.env['PATH']}`,
      PGHOST: socket,
      PGUSER: 'waymaker',
      PGDATABASE: 'postgres',
    };
    const script = commands.replaceAll(/(?<!--owner=)\bwaymaker(?!\.dump)(?=\b|_)/g, name);
    await promisify(execFile)('sh', ['-ec', script], { cwd, env });
  };
  await run(backUp);
  await device.client.call('revokeDevices');
  await first.service.close();
  const dump = path.join(cwd, 'waymaker.dump');
  const whole = await readFile(dump);
  await writeFile(dump, whole.subarray(0, whole.length / 2));
  await expect(run(restore)).rejects.toThrow('pg_restore: error');
  await writeFile(dump, whole);
  await run(restore);
  // Still there after the copy that broke off.
  await run(`psql --dbname=waymaker_before --command='select 1'`);
  await using second = await startTestService({ environment, clock: first.clock });
  expect(await new TestDevice(second, device).client.call('userInfo')).toMatchObject({ ok: true });
});

test('a directory of PGlite is restored as documented, with nothing of what came after the copy', async () => {
  const environment = await newEnvironment('pglite');
  const directory = environment.WAYMAKER_DATA_DIR;
  const first = await startTestService({ environment });
  const device = await signedIn(first, newEmail());
  await first.service.close();
  const documented = await readFile(operating, 'utf8');
  const [backUp = '', restore = ''] = [...documented.matchAll(/```sh\n(cp -a .*?|mv .*?)```/gs)].map(
    ([, commands = '']) => commands,
  );
  const cwd = await newDirectory();
  const run = (commands: string) =>
    promisify(execFile)('sh', ['-ec', commands.replaceAll('/var/lib/waymaker', directory)], { cwd });
  await run(backUp);
  await rm(path.join(directory, 'database/base'), { recursive: true });
  await writeFile(path.join(directory, 'database/pg_wal/000000010000000000000099'), 'later');
  await run(restore);
  await expect(stat(path.join(directory, 'database/pg_wal/000000010000000000000099'))).rejects.toThrow(
    'ENOENT',
  );
  await using second = await startTestService({ environment, clock: first.clock });
  expect(await new TestDevice(second, device).client.call('userInfo')).toMatchObject({ ok: true });
});

test('the health call asks the database', async () => {
  await using running = await startTestService({ kind: 'postgresql' });
  expect((await fetch(`${running.url}/api/health`)).status).toBe(204);
});

test('the Unix socket is for its group, and for nobody else', async () => {
  const socket = path.join(await newDirectory(), 'service.sock');
  await using _ = await startTestService({ environment: { WAYMAKER_SERVICE_SOCKET: socket } });
  expect(((await stat(socket)).mode & 0o777).toString(8)).toBe('660');
});

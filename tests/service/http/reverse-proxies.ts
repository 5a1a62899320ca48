import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { unpackedPackage } from '../../lab/machine/unpacked-package.ts';
import { freePort } from '../../unit/main/support/free-port.ts';
import { startProgram } from '../service-process.ts';
import { newDirectory, newEnvironment } from '../test-service.ts';

/** As /etc/nginx would have it: it adds the caller to what the caller says. */
export const nginx = {
  command: (config: string) => [
    path.join(unpackedPackage('nginx'), 'usr/sbin/nginx'),
    '-p',
    path.dirname(config),
    '-c',
    config,
  ],
  config: (port: number, upstreams: string[]) => `
    daemon off;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    pid nginx.pid;
    error_log stderr;
    events {}
    http {
      access_log off;
      client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
      uwsgi_temp_path uwsgi; scgi_temp_path scgi;
      upstream service { ${upstreams.map((upstream) => `server ${upstream};`).join(' ')} }
      server {
        listen 127.0.0.1:${port};
        location / {
          proxy_pass http://service;
          proxy_set_header Host $http_host;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          proxy_set_header X-Forwarded-Proto $scheme;
          add_header x-process $upstream_addr always;
        }
      }
    }`,
  tcp: (address: string) => address,
  socket: (file: string) => `unix:${file}`,
};

export const caddy = {
  command: (config: string) => [
    path.join(unpackedPackage('caddy'), 'usr/bin/caddy'),
    'run',
    '--adapter',
    'caddyfile',
    '--config',
    config,
  ],
  config: (port: number, upstreams: string[]) => `
{
  admin off
  auto_https off
}
http://:${port} {
  bind 127.0.0.1
  reverse_proxy ${upstreams.join(' ')} {
    lb_policy round_robin
    header_down x-process {http.reverse_proxy.upstream.hostport}
  }
}
`,
  tcp: (address: string) => address,
  socket: (file: string) => `unix/${file}`,
};

/** Two processes of the service over one database, behind a proxy as an operator would run it. */
export async function startBehind(proxy: typeof nginx, over: 'tcp' | 'socket') {
  const stack = new AsyncDisposableStack();
  const directory = await newDirectory();
  const shared = await newEnvironment('postgresql');
  const upstreams: string[] = [];
  const mailboxUrls: string[] = [];
  for (const name of ['one', 'two']) {
    const socket = path.join(directory, `${name}.sock`);
    const started = await startProgram('index.ts', {
      ...shared,
      WAYMAKER_SERVICE_SOCKET: socket,
      WAYMAKER_TRUSTED_PROXIES: over === 'tcp' ? '127.0.0.1' : 'unix',
      WAYMAKER_LIMIT_FACTOR: '1',
    });
    stack.defer(async () => void (await started.end()));
    mailboxUrls.push(started.service.mailboxUrl ?? '');
    upstreams.push(over === 'tcp' ? proxy.tcp(new URL(started.url).host) : proxy.socket(socket));
  }
  const port = await freePort();
  stack.use(await startProxy(proxy, port, proxy.config(port, upstreams)));
  return { port, mailboxUrls, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** A proxy with this configuration, once the service answers through it. */
export async function startProxy(
  { command }: Pick<typeof nginx, 'command'>,
  port: number,
  configuration: string,
): Promise<AsyncDisposable> {
  const home = path.join(await newDirectory(), 'proxy');
  await mkdir(home);
  const config = path.join(home, 'config');
  await writeFile(config, configuration);
  const [program = '', ...args] = command(config);
  const env = { PATH: process.env['PATH'], HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
  const child = spawn(program, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const errors = text(child.stderr);
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  try {
    await vi.waitFor(async () => {
      if (child.exitCode !== null) throw new Error(`the proxy ended: ${await errors}`);
      expect((await fetch(`http://127.0.0.1:${port}/api/basic-info`)).status).toBe(200);
    });
  } catch (error) {
    await stop();
    throw error;
  }
  return { [Symbol.asyncDispose]: stop };
}

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { addresses } from '../../lab/network/addresses.ts';
import { proxyPorts, startOnlyProxy } from '../../lab/network/web-proxy.ts';
import { expect, withoutRoot } from '../fixtures.ts';
import { commandError, type CommandLine } from '../support/command-line/command-line.ts';
import { test } from '../support/command-line/command-line-fixture.ts';

test.skip(withoutRoot, 'the laboratory needs root');

const credentials = { username: 'guest', password: 'pass-for-the-proxy' };
const place = `${addresses.router.ipv4}:${proxyPorts.http}`;
const proxyUrl = (password: string) => `http://${credentials.username}:${password}@${place}`;
/** Two lines of input, as they are typed. */
const typed = (password: string) => `${credentials.username}\n${password}\n`;

/** What is in all files of a folder. */
async function textIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const texts = files.map((file) => readFile(path.join(file.parentPath, file.name), 'latin1'));
  return (await Promise.all(texts)).join('\n');
}

/** The daemon has the variables of the command that starts it. */
async function restartWith(commandLine: CommandLine, url: string): Promise<void> {
  await commandLine.end();
  commandLine.env['HTTPS_PROXY'] = url;
}

test('where a proxy is the only way to the server, a tunnel goes through it, and the password that it wants is named', async ({
  signedInCommandLine: commandLine,
  lab,
}) => {
  await using ends = new AsyncDisposableStack();
  ends.use(await startOnlyProxy(lab, 'http', credentials));
  await commandLine.end();
  expect((await commandLine.run(['connect', '--json'])).code, 'positive control').not.toBe(0);

  await restartWith(commandLine, proxyUrl('wrong'));
  const refused = await commandLine.run(['connect', '--json'], { input: '' });
  expect(commandError.parse(JSON.parse(refused.stdout)).error.code).toBe('proxy-credentials');

  await restartWith(commandLine, proxyUrl(credentials.password));
  await commandLine.succeed(['connect']);
  expect(await lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
  await commandLine.succeed(['disconnect']);
});

test('a proxy that speaks TLS is verified, told the password inside it, and leads to the server', async ({
  signedInCommandLine: commandLine,
  lab,
}) => {
  await using ends = new AsyncDisposableStack();
  ends.use(await startOnlyProxy(lab, 'https', credentials));
  const secureUrl = (port: number) =>
    `https://${credentials.username}:${credentials.password}@${addresses.router.ipv4}:${port}`;
  // The same proxy without TLS: it gets no password in clear.
  await restartWith(commandLine, secureUrl(proxyPorts.http));
  const refused = await commandLine.run(['connect', '--json'], { input: '' });
  expect(commandError.parse(JSON.parse(refused.stdout)).error.code).toBe('proxy-untrusted');

  await restartWith(commandLine, secureUrl(proxyPorts.https));
  await commandLine.succeed(['connect']);
  expect(await lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
  await commandLine.succeed(['disconnect']);
});

test('signing in and connecting ask for the proxy’s password, until it is right, and keep it', async ({
  commandLine,
  helper: _helper,
  service,
  email,
  lab,
}) => {
  await using ends = new AsyncDisposableStack();
  ends.use(await startOnlyProxy(lab, 'http', credentials));
  // Nobody is there: it ends by itself, and says so.
  commandLine.env['HTTPS_PROXY'] = `http://${addresses.router.ipv4}:9`;
  const dead = await commandLine.run(['sign-in', email, '--json'], { input: '' });
  expect(commandError.parse(JSON.parse(dead.stdout)).error.code).toBe('network');
  await restartWith(commandLine, `http://${place}`);
  // Whoever cannot be asked is told what is missing, and is asked the next time.
  const silent = await commandLine.run(['sign-in', email, '--json'], { input: '' });
  expect(commandError.parse(JSON.parse(silent.stdout)).error).toMatchObject({ code: 'proxy-credentials' });
  expect(silent.stderr).toContain(addresses.router.ipv4);

  const signIn = await commandLine.start(['sign-in', email], /User name: /);
  const told = new Promise<void>((resolve) => {
    signIn.stderr?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('Code sent to')) resolve();
    });
  });
  const end = new Promise((resolve) => signIn.once('close', resolve));
  signIn.stdin?.write(typed('wrong') + typed(credentials.password));
  await told;
  signIn.stdin?.end(`${await service.mailbox.code(email)}\n`);
  expect(await end).toBe(0);

  // Another process knows it, too.
  await commandLine.end();
  await commandLine.succeed(['connect']);
  expect(await lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
  await commandLine.succeed(['disconnect']);
  // It is in no log, and sealed where it is kept. While a daemon runs, it replaces its files.
  await commandLine.end();
  const kept = await textIn(path.dirname(commandLine.folder));
  expect(kept, 'positive control').toContain('a proxy is used');
  expect(kept).not.toContain(credentials.password);
  expect(kept).not.toContain(
    Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64'),
  );
});

test('a proxy whose password has changed asks for it while connecting, with the kill switch on, too', async ({
  signedInCommandLine: commandLine,
  lab,
}) => {
  await commandLine.succeed(['mode', 'global', '--kill-switch', 'on']);
  await using ends = new AsyncDisposableStack();
  ends.use(await startOnlyProxy(lab, 'http', credentials));
  await restartWith(commandLine, proxyUrl('earlier'));
  const silent = await commandLine.run(['connect', '--json'], { input: '' });
  expect(commandError.parse(JSON.parse(silent.stdout)).error.code).toBe('proxy-credentials');
  const connected = await commandLine.run(['connect'], {
    input: typed('wrong') + typed(credentials.password),
  });
  expect(connected).toMatchObject({ code: 0 });
  expect(connected.stdout + connected.stderr).not.toContain(credentials.password);
  expect(await lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
  await commandLine.succeed(['disconnect']);
});

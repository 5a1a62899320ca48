import { addresses } from '../../lab/network/addresses.ts';
import { proxyPorts, startOnlyProxy } from '../../lab/network/web-proxy.ts';
import { expect, withoutRoot } from '../fixtures.ts';
import { commandError } from '../support/command-line/command-line.ts';
import { test } from '../support/command-line/command-line-fixture.ts';

test.skip(withoutRoot, 'the laboratory needs root');

const credentials = { username: 'guest', password: 'secret' };
const proxyUrl = (password: string) =>
  `http://${credentials.username}:${password}@${addresses.router.ipv4}:${proxyPorts.http}`;

test('where a proxy is the only way to the server, a tunnel goes through it, and the password that it wants is named', async ({
  signedInCommandLine: commandLine,
  lab,
}) => {
  await using ends = new AsyncDisposableStack();
  ends.use(await startOnlyProxy(lab, 'http', credentials));
  const restartWith = async (url: string) => {
    await commandLine.end();
    commandLine.env['HTTPS_PROXY'] = url;
  };
  await commandLine.end();
  expect((await commandLine.run(['connect', '--json'])).code, 'positive control').not.toBe(0);

  await restartWith(proxyUrl('wrong'));
  const refused = await commandLine.run(['connect', '--json']);
  expect(commandError.parse(JSON.parse(refused.stdout)).error.code).toBe('proxy-credentials');

  await restartWith(proxyUrl(credentials.password));
  await commandLine.succeed(['connect']);
  expect(await lab.user.probe.http4('through')).toMatchObject({ address: addresses.gateway.ipv4 });
  await commandLine.succeed(['disconnect']);
});

import { addresses, pools } from '../../lab/network/addresses.ts';
import { startIpv6OnlyNetwork } from '../../lab/network/nat64.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { expect, withoutRoot } from '../fixtures.ts';
import { test } from '../support/command-line/command-line-fixture.ts';

test.skip(withoutRoot, 'the laboratory needs root');

test('in a network without IPv4, a server that has nothing else is reached by the translator', async ({
  signedInCommandLine: commandLine,
  lab,
}) => {
  await using ends = new AsyncDisposableStack();
  ends.use(await startIpv6OnlyNetwork(lab));
  const source = async () => (await lab.user.probe.http4('translated'))?.address;
  expect(await source(), 'positive control').toBeUndefined();
  await commandLine.succeed(['mode', '--kill-switch', 'on']);
  await commandLine.succeed(['connect']);
  expect(await source()).toBe(addresses.gateway.ipv4);
  // It is signed in to again while traffic is blocked, and nobody can be asked where the translator is.
  ends.defer(() => lab.gateway.restart({ pool: pools.first }));
  await lab.gateway.restart({ pool: pools.second });
  await expect
    .poll(async () => await commandLine.json(['status']), { timeout: waitLimit(45_000) })
    .toMatchObject({
      tunnel: { state: 'connected', addresses: { ipv4: expect.stringMatching(/\.(?:19[2-9]|2\d\d)$/) } },
    });
  expect(await source()).toBe(addresses.gateway.ipv4);
  await commandLine.succeed(['disconnect']);
});

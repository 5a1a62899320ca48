import { randomUUID } from 'node:crypto';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { filterTable } from '../../../helper/linux/identifiers.ts';
import type { Lab } from '../../lab/lab.ts';
import { addresses, names, pools } from '../../lab/network/addresses.ts';
import { findLeaks, type Leak } from '../../lab/packets/leaks.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { chooseServer } from '../support/tunnel/connect.ts';
import { enginePids } from '../support/tunnel/engine.ts';
import { serverNames } from '../support/service/service.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { isExhaustive } from '../../lab/runs/thoroughness.ts';

test.skip(withoutRoot, 'the laboratory needs root');

const everyKind = ['cleartext', 'dns', 'ipv6', 'other'];
const kinds = (leaks: readonly Leak[]) => [...new Set(leaks.map(({ kind }) => kind))].sort();
const describeLeak = ({ kind, packet }: Leak) =>
  `${kind} ${packet.source}:${packet.sourcePort} > ${packet.destination}:${packet.destinationPort}`;

/** Captures the uplink while every kind of probe is being sent, through `during`, which can send each once more. */
async function leaksWhile(lab: Lab, during: (probe: () => Promise<void>) => Promise<void>): Promise<Leak[]> {
  const marker = `marker${randomUUID().slice(0, 8)}`;
  const probe = async () => {
    const { http4, http6, dns, dnsToPublicResolver, udp4, udp6 } = lab.user.probe;
    for (const send of [http4, http6, dns, dnsToPublicResolver, udp4, udp6]) await send(marker);
  };
  const capture = await lab.capture();
  const stream = await lab.user.probe.stream(marker, 50);
  try {
    await during(probe);
    // Each probe once more, now that all is settled, and to its end.
    await probe();
  } finally {
    await stream[Symbol.asyncDispose]();
  }
  return findLeaks(await capture.stop(), marker);
}

if (isExhaustive)
  test('from the click on nothing leaves, also while no name can be looked up', async ({
    signedIn: { page },
    lab,
    helper: _helper,
  }) => {
    // So that no session can be prepared, only the name be looked up.
    await lab.setGatewayReachable(false);
    const connect = await chooseServer(page);
    await expect(connect.status('connect.disconnected')).toBeVisible();
    await expect
      .poll(async () => (await lab.internet.queries()).map(({ name }) => name))
      .toContain(names.gateway);
    const marker = `marker${randomUUID().slice(0, 8)}`;
    const capture = await lab.capture();
    const dropped = await dropDns(lab);
    const stream = await lab.user.probe.stream(marker);
    const tables = await watchTables(lab);
    let click: number;
    try {
      await expect.poll(() => lab.user.probe.http4(marker), 'traffic flows before the click').toBeDefined();
      click = Date.now();
      await connect.connect.click();
      await lab.setGatewayReachable(true);
      await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(60_000) });
    } finally {
      // The laboratory is other tests', too.
      await lab.setGatewayReachable(true);
      await stream[Symbol.asyncDispose]();
      await dropped[Symbol.asyncDispose]();
      tables.stop();
    }
    const packets = await capture.stop();
    const leaks = findLeaks(packets, marker);
    expect(kinds(leaks), 'positive control').toEqual(expect.arrayContaining(['cleartext', 'dns']));
    const asked = leaks.filter(
      (leak) => leak.kind === 'dns' && leak.packet.time >= click && leak.name === names.gateway,
    );
    expect(asked.map(describeLeak), 'nothing waits for a name').toEqual([]);
    expect(
      packets.some(({ destination, protocol }) => isGateway(destination) && protocol === udp),
      'the tunnel is in the capture',
    ).toBe(true);
    const blocked = tables.addedAt(filterTable) ?? 0;
    expect(blocked, 'the block comes after the click').toBeGreaterThan(click);
    // An answer to what left before may come at any time.
    const isAnswer = (destination: string) => Object.values<string>(addresses.user).includes(destination);
    const late = leaks.filter(({ packet }) => packet.time >= blocked && !isAnswer(packet.destination));
    expect(late.map(describeLeak)).toEqual([]);
  });

const udp = 17;
const isGateway = (address: string) => Object.values<string>(addresses.gateway).includes(address);

/** Notes when tables of the packet filter come to be on the user's machine, from now on. */
async function watchTables(lab: Lab) {
  const added = new Map<string, number>();
  const monitor = lab.user.spawn(['nft', 'monitor', 'new', 'tables']);
  monitor.stdout?.on('data', (lines: Buffer) => {
    for (const [, name = ''] of lines.toString().matchAll(/^add table inet (\w+)/gm))
      if (!added.has(name)) added.set(name, Date.now());
  });
  // It says nothing of its own when it has begun.
  await expect
    .poll(async () => {
      await lab.user.run(['nft', 'add table inet watched; delete table inet watched']);
      return added.has('watched');
    })
    .toBe(true);
  return { addedAt: (name: string) => added.get(name), stop: () => monitor.kill() };
}

/** Until disposed the far side's resolvers do not get what is asked. */
async function dropDns(lab: Lab): Promise<AsyncDisposable> {
  const rules = [
    'add table inet dropped',
    'add chain inet dropped input { type filter hook input priority 0; }',
    'add rule inet dropped input th dport 53 drop',
  ];
  for (const rule of rules) await lab.internet.run(['nft', rule]);
  return {
    async [Symbol.asyncDispose]() {
      await lab.internet.run(['nft', 'delete table inet dropped']);
    },
  };
}

test('no cleartext, DNS or IPv6 on the uplink during connect, connected, re-connect, and while one press switches to another server; all of it when allowed', async ({
  helper,
  launch,
  lab,
  service,
  email,
  directory,
}) => {
  test.setTimeout(waitLimit(240_000));
  const { gateway, untrustedGateway: other } = lab;
  const authorities = path.join(directory, 'authorities.pem');
  const files = [gateway.authorityFile, other.authorityFile];
  await writeFile(authorities, (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n'));
  const { page } = await launchSignedIn(launch, service, email, {
    env: { NODE_EXTRA_CA_CERTS: authorities },
  });

  const allowed = await leaksWhile(lab, async () => undefined);
  expect(kinds(allowed), 'positive control before').toEqual(everyKind);

  const connect = await chooseServer(page);
  await expect(connect.status('connect.disconnected')).toBeVisible();
  // With the wire to the gateway cut, connecting lasts as long as it is looked at.
  await lab.setGatewayReachable(false);
  await connect.connect.click();
  await expect(connect.status('connect.connecting')).toBeVisible();
  // The page shows what was clicked at once; from here on it is also so.
  await expect
    .poll(() => lab.user.exec(['nft', 'list', 'tables']))
    .toMatchObject({
      stdout: expect.stringContaining(filterTable),
    });
  const connecting = await leaksWhile(lab, async (probe) => {
    await probe();
    await expect(connect.status('connect.connecting')).toBeVisible();
    await lab.setGatewayReachable(true);
    await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(60_000) });
  });
  expect(connecting.map(describeLeak), 'while connecting, from then to connected, and then').toEqual([]);

  const engines = await enginePids(lab);
  const reconnecting = await leaksWhile(lab, async (probe) => {
    await lab.setGatewayReachable(false);
    for (const pid of engines) process.kill(pid, 'SIGKILL');
    await expect(connect.status('connect.reconnecting')).toBeVisible({ timeout: waitLimit(30_000) });
    await probe();
    await lab.setGatewayReachable(true);
    await expect(connect.status('connect.connected')).toBeVisible({ timeout: waitLimit(60_000) });
  });
  expect(reconnecting.map(describeLeak), 'while re-connecting, and from then to connected').toEqual([]);

  // Both servers know the same devices.
  await copyFile(gateway.passwordFile, other.passwordFile);
  await other.start();
  try {
    await connect.openServers();
    const switching = await leaksWhile(lab, async () => {
      await connect.server(serverNames.untrusted).click();
      await expect(page.getByText(`Your traffic goes through ${serverNames.untrusted}`)).toBeVisible({
        timeout: waitLimit(60_000),
      });
      await expect(connect.status('connect.connected')).toBeVisible();
    });
    expect(switching.map(describeLeak), 'from one server to another').toEqual([]);
    await connect.openDetails();
    await expect(connect.fact(/IPv6/)).toContainText(pools.untrusted.ipv6.replace(/::\/64$/, ':'));
    await connect.disconnect.click();
    await expect(connect.status('connect.disconnected')).toBeVisible();
  } finally {
    await other.stop();
  }
  const afterwards = await leaksWhile(lab, async () => undefined);
  expect(kinds(afterwards), 'positive control afterwards').toEqual(everyKind);
  expect(helper.output).toContain('engine ended');
});

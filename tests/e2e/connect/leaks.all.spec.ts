import { randomUUID } from 'node:crypto';
import { filterTable } from '../../../helper/linux/identifiers.ts';
import type { Lab } from '../../lab/lab.ts';
import { addresses, names } from '../../lab/network/addresses.ts';
import { describeLeak, findLeaks, kindsOf } from '../../lab/packets/leaks.ts';
import { expect, test, withoutRoot } from '../fixtures.ts';
import { chooseServer } from '../support/tunnel/connect.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';

test.skip(withoutRoot, 'the laboratory needs root');

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
  expect(kindsOf(leaks), 'positive control').toEqual(expect.arrayContaining(['cleartext', 'dns']));
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

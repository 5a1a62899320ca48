import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { addresses } from '../../lab/network/addresses.ts';
import { address, defaultRoutes } from '../../lab/network/network.ts';
import { eventually, exec, words } from '../../lab/runs/process.ts';
import { programFile } from '../../lab/runs/programs.ts';
import type { HelperLab } from '../../helper/support/helper-lab.ts';
import { attach } from '../../helper/support/callers/test-client.ts';
import { connect, whileBlocked } from './connecting.ts';
import type { Action, Run } from './run.ts';
import { giveUp, hasConnection, isReachable, users } from './tunnel-model.ts';

const clockFile = (net: HelperLab) => path.join(net.lab.directory, 'clock-offset');

/** Sets the helper's clock, in milliseconds from the true time. */
export const setClock = (net: HelperLab, offsetMs: number): Promise<void> =>
  writeFile(clockFile(net), String(offsetMs));

/** Starts a helper whose clock can be set. */
export function startHelper(net: HelperLab): Promise<void> {
  const preload = programFile('tests/helper/support/failures/clock-set-by-file.ts');
  return net.start({
    args: users.flatMap((uid) => ['--allow-user', String(uid)]),
    under: ['env', `NODE_OPTIONS=--import=${preload}`, `CLOCK_OFFSET=${clockFile(net)}`],
  });
}

const always = () => true;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** Back to before the helper was installed, and on beyond any deadline. */
const clockStepsMs = [-10_000 * dayMs, -dayMs, -hourMs, -1000, 1000, hourMs, dayMs, 20 * dayMs];

/** What an administrator's script takes away. */
const losses = ['nft flush ruleset', 'ip rule flush', 'ip route flush table 5187', 'ip link del wm0'];

async function restartHelper(run: Run): Promise<void> {
  await run.net.end('SIGKILL');
  await startHelper(run.net);
  run.client = await run.net.attach();
  const { connection } = run.model;
  if (!connection) return;
  // Without the kill switch the next helper opens; with it, it goes on where the one before was.
  if (!connection.killSwitch) run.model.connection = undefined;
  else {
    connection.isGivenUp = false;
    // Who signs in again sets another.
    connection.deadline = undefined;
  }
}

export const actions: readonly Action[] = [
  // Without a connection little can go wrong, and traffic is rarely blocked: both go on with these more often than not.
  ...[1, 2, 3, 4].flatMap(() => [connect, ...whileBlocked]),
  {
    name: 'disconnect',
    isPossible: always,
    async act({ client, model }) {
      await client.call('disconnect', {});
      model.connection = undefined;
    },
  },
  ...[1, 2].map(() => ({
    name: 'give up',
    isPossible: hasConnection,
    async act({ client, model }: Run) {
      await client.call('disconnect', { reason: 'session-ended' });
      giveUp(model);
    },
  })),
  ...[1, 2, 3].map(() => ({
    name: 'route',
    isPossible: hasConnection,
    async act({ client, model, random, routings }: Run) {
      const routing = random.pick(routings);
      const killSwitch = random.below(2) === 1;
      await client.call('setRouting', { routing, killSwitch });
      if (model.connection) Object.assign(model.connection, { routing, killSwitch });
    },
  })),
  {
    name: 'kill the engine',
    isPossible: hasConnection,
    async act({ net }) {
      // One may have ended by itself.
      await exec(['kill', '-KILL', ...(await net.engines()).map(String)]);
    },
  },
  {
    name: 'kill the proxy',
    isPossible: (model) => hasConnection(model) && model.connection?.routing.mode === 'pac',
    async act({ net }) {
      await exec(['kill', '-KILL', ...(await net.proxies()).map(String)]);
    },
  },
  { name: 'kill the helper', isPossible: always, act: restartHelper },
  {
    name: 'kill the app',
    isPossible: always,
    async act(run) {
      run.client[Symbol.dispose]();
      run.client = await run.net.attach();
    },
  },
  {
    name: 'take away',
    isPossible: hasConnection,
    async act({ net: { lab }, random }) {
      const loss = random.pick(losses);
      await lab.user.run(words(loss)).catch(() => undefined);
      if (loss !== 'ip rule flush') return;
      await lab.user.run(words('ip rule add priority 32766 lookup main'));
      await lab.user.run(words('ip rule add priority 32767 lookup default'));
    },
  },
  {
    name: 'link down',
    isPossible: ({ isLinkUp }) => isLinkUp,
    async act({ net, model }) {
      await net.lab.user.run(words('ip link set uplink down'));
      model.isLinkUp = false;
    },
  },
  {
    name: 'link up',
    isPossible: ({ isLinkUp }) => !isLinkUp,
    async act({ net, model }) {
      await restoreLink(net);
      model.isLinkUp = true;
    },
  },
  {
    name: 'gateway cut off',
    isPossible: isReachable,
    async act({ net, model }) {
      await net.lab.setGatewayReachable(false);
      model.isGatewayReachable = false;
    },
  },
  {
    name: 'gateway back',
    isPossible: ({ isGatewayReachable }) => !isGatewayReachable,
    async act({ net, model }) {
      await net.lab.setGatewayReachable(true);
      model.isGatewayReachable = true;
    },
  },
  {
    // It forgets its sessions, and tells its clients or not.
    name: 'gateway restarted',
    isPossible: always,
    async act({ net: { lab }, model, random }) {
      if (random.below(2) === 1) await lab.gateway.kill();
      model.hasGatewayIpv6 = random.below(2) === 1;
      await lab.gateway.restart({ ipv6: model.hasGatewayIpv6 });
    },
  },
  {
    name: 'clock step',
    isPossible: always,
    async act({ net, model, random }) {
      model.clockOffsetMs += random.pick(clockStepsMs);
      await setClock(net, model.clockOffsetMs);
    },
  },
  {
    name: 'another address',
    isPossible: ({ isLinkUp }) => isLinkUp,
    async act({ net: { lab }, random }) {
      await lab.user.run(words(`ip address replace 10.${random.below(200)}.0.5/24 dev uplink`));
    },
  },
  {
    name: 'another user',
    isPossible: hasConnection,
    async act({ net, sockets, model, random, routings }) {
      const stranger = users.find((uid) => uid !== model.connection?.owner) ?? 0;
      using other = await attach(sockets[stranger] ?? '');
      const seen = other.states.at(-1);
      if (seen?.ownedByOther !== true) throw new Error(`another user is told ${JSON.stringify(seen)}`);
      const routing = random.pick(routings);
      const asks = [
        () => other.call('disconnect', {}),
        () => other.call('setRouting', { routing, killSwitch: false }),
        () => other.call('setDeadline', { deadline: null }),
        () => other.call('connect', net.request({ routing, killSwitch: false })),
      ];
      const isTaken = await random
        .pick(asks)()
        .then(always, () => false);
      if (isTaken) throw new Error('another user changed the connection');
    },
  },
];

/**
 * As whoever manages the network does when the cable is in again: the kernel has dropped IPv6 and the default routes.
 * What is there still cannot be added.
 */
export async function restoreLink({ lab: { user } }: HelperLab): Promise<void> {
  await user.run(words('ip link set uplink up'));
  const pairs = [addresses.user, addresses.userPrivate];
  for (const line of pairs.flatMap((pair) => address(pair, 24, 'uplink')))
    await user.exec(words(`ip ${line}`));
  for (const route of defaultRoutes(addresses.router)) await user.exec(words(`ip ${route}`));
  await eventually(
    'the link is up',
    async () => (await user.run(words('ip -oneline link show dev uplink'))).includes('state UP') || undefined,
  );
}

import type { Routing } from '#shared/tunnel/state.ts';
import { addresses } from '../../lab/addresses.ts';
import { address, defaultRoutes } from '../../lab/network.ts';
import { eventually, words } from '../../lab/process.ts';
import { attachAs } from '../../helper/support/attach-as.ts';
import type { HelperLab } from '../../helper/support/helper-lab.ts';
import type { TestClient } from '../../helper/support/test-client.ts';
import type { Random } from './random.ts';
import type { Model } from './tunnel-model.ts';

/** What a sequence works with; `client` is another after a helper or an app has been killed. */
export interface Run {
  net: HelperLab;
  client: TestClient;
  model: Model;
  random: Random;
  routings: readonly Routing[];
}

/** Something that happens to the machine: does it, and says in the model what has become of it. */
export interface Action {
  name: string;
  isPossible: (model: Model) => boolean;
  act: (run: Run) => Promise<void>;
}

/** Another user of the machine who may use the helper (Debian policy §9.2.2: no account has this number). */
const otherUid = 64_951;

export const startHelper = (net: HelperLab): Promise<void> =>
  net.start({ args: ['--allow-uid', String(otherUid)] });

const always = () => true;
const hasConnection = ({ connection }: Model) => connection !== undefined && !connection.isGivenUp;

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
  else connection.isGivenUp = false;
}

export const actions: readonly Action[] = [
  {
    name: 'connect',
    isPossible: ({ connection, isLinkUp, isGatewayReachable }) =>
      (connection === undefined || connection.isGivenUp) && isLinkUp && isGatewayReachable,
    async act({ net, client, model, random, routings }) {
      const routing = random.pick(routings);
      const killSwitch = random.below(2) === 1;
      await client.call('connect', net.request({ routing, killSwitch, session: await net.signIn() }));
      model.connection = { routing, killSwitch, isGivenUp: false };
    },
  },
  {
    name: 'disconnect',
    isPossible: always,
    async act({ client, model }) {
      await client.call('disconnect', {});
      model.connection = undefined;
    },
  },
  {
    name: 'give up',
    isPossible: hasConnection,
    async act({ client, model }) {
      await client.call('disconnect', { reason: 'session-ended' });
      if (model.connection?.killSwitch) model.connection.isGivenUp = true;
      else model.connection = undefined;
    },
  },
  ...[1, 2, 3].map(() => ({
    name: 'route',
    isPossible: hasConnection,
    async act({ client, model, random, routings }: Run) {
      const routing = random.pick(routings);
      const killSwitch = random.below(2) === 1;
      await client.call('setRouting', { routing, killSwitch });
      model.connection = { routing, killSwitch, isGivenUp: false };
    },
  })),
  {
    name: 'kill the engine',
    isPossible: hasConnection,
    async act({ net }) {
      for (const pid of await net.engines()) process.kill(pid, 'SIGKILL');
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
    name: 'another address',
    isPossible: ({ isLinkUp }) => isLinkUp,
    async act({ net: { lab }, random }) {
      await lab.user.run(words(`ip address replace 10.${random.below(200)}.0.5/24 dev uplink`));
    },
  },
  {
    name: 'another user',
    isPossible: hasConnection,
    async act({ net, random, routings }) {
      using other = await attachAs(net, otherUid);
      const asks = [
        () => other.call('disconnect', {}),
        () => other.call('setRouting', { routing: random.pick(routings) }),
      ];
      const isTaken = await random
        .pick(asks)()
        .then(always, () => false);
      if (isTaken) throw new Error('another user changed the connection');
    },
  },
];

/** As whoever manages the network does when the cable is in again: the kernel has dropped IPv6 and the default routes. */
async function restoreLink({ lab: { user } }: HelperLab): Promise<void> {
  await user.run(words('ip link set uplink up'));
  for (const pair of [addresses.user, addresses.userPrivate])
    await user.exec(words(`ip ${address(pair, 24, 'uplink')[1] ?? ''}`));
  for (const route of defaultRoutes(addresses.router)) await user.exec(words(`ip ${route}`));
  await eventually(
    'the link is up',
    async () => (await user.run(words('ip -oneline link show dev uplink'))).includes('state UP') || undefined,
  );
}

import { readdir } from 'node:fs/promises';
import { eventually, words } from '../../lab/runs/process.ts';
import { socketOf } from '../../helper/support/callers/attach-as.ts';
import { createHelperLab } from '../../helper/support/helper-lab.ts';
import { startInPlaces } from '../../helper/support/deaths/places.ts';
import { attach } from '../../helper/support/callers/test-client.ts';
import { restoreLink, setClock, startHelper } from './actions.ts';
import { createRandom } from './random.ts';
import type { Run } from './run.ts';
import { initialModel, routingsOf, users } from './tunnel-model.ts';

/** A laboratory in which one sequence after the other is run, as long as each leaves it as it was. */
export interface Lane extends AsyncDisposable {
  /** What the sequence of a seed begins with. */
  begin(seed: number): Run;
  /** Ends a sequence, and rejects unless the machine is then as it was made. */
  end(run: Run): Promise<void>;
}

/** `modes`: only those of the routing; all if there are none. */
export async function openLane(modes: readonly string[]): Promise<Lane> {
  const net = await createHelperLab();
  await setClock(net, 0);
  await startHelper(net);
  const entries = users.map(async (uid) => [uid, await socketOf(net, uid)] as const);
  const sockets = Object.fromEntries(await Promise.all(entries));
  using member = await attach(sockets[users[0]] ?? '');
  const places = await startInPlaces(net, { uid: users[0], client: member, intervalMs: 50 });
  let client = await net.attach();
  const routings = routingsOf(client.capabilities).filter(
    ({ mode }) => modes.length === 0 || modes.includes(mode),
  );

  return {
    begin: (seed) => ({
      net,
      client,
      sockets,
      places,
      model: initialModel(),
      random: createRandom(seed),
      routings,
      proxy: undefined,
    }),
    async end(run) {
      ({ client } = run);
      await client.call('disconnect', {});
      const { user } = net.lab;
      await Promise.all([net.lab.setGatewayReachable(true), setClock(net, 0)]);
      if (!run.model.hasGatewayIpv6) await net.lab.gateway.restart({ ipv6: true });
      await user.run(words('ip address flush dev uplink'));
      await user.run(words('ip link set uplink down'));
      await restoreLink(net);
      // In which order addresses and routes are listed says only when they were made.
      const lines = (text: string) => text.split('\n').sort();
      const before = lines(net.initialSnapshot);
      let differing: string[] = [];
      await eventually('the machine is as before', async () => {
        const now = lines(await user.snapshot());
        const [files, engines, proxies] = await Promise.all([
          readdir(net.stateDirectory),
          net.engines(),
          net.proxies(),
        ]);
        differing = [
          ...now.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
          ...before.filter((line) => !now.includes(line)).map((line) => `- ${line}`),
          ...[...files, ...engines, ...proxies].map((left) => `left: ${left}`),
        ];
        return differing.length === 0 && now.length === before.length ? true : undefined;
      }).catch((cause: unknown) => {
        throw new Error(`the machine is not as before:\n${differing.join('\n')}`, { cause });
      });
    },
    async [Symbol.asyncDispose]() {
      await places[Symbol.asyncDispose]();
      await net[Symbol.asyncDispose]();
    },
  };
}

import { afterAll, beforeAll, test } from 'vitest';
import type { Routing } from '#shared/tunnel/state.ts';
import { startNetworkd, type Networkd } from '../../lab/network/networkd.ts';
import { eventually, words } from '../../lab/runs/process.ts';
import { casesOf } from '../../lab/runs/thoroughness.ts';
import { waitLimit } from '../../lab/runs/wait-limit.ts';
import { programLab, include } from '../support/programs/program-lab.ts';
import { expectUnharmed, ourRules } from '../support/programs/beside-program.ts';
import { startInPlaces, type Places } from '../support/deaths/places.ts';

/**
 * Beside a real systemd-networkd with its own settings: each time that it sets a device up, it removes all rules, all
 * nexthops, and all routes without a device that are not its own (networkd.conf(5), ManageForeignRoutingPolicyRules=).
 */

const lab = programLab();
let networkd: Networkd;
let senders: Places;

beforeAll(async () => {
  networkd = await startNetworkd(lab.net.lab.user, lab.net.lab.directory);
  senders = await startInPlaces(lab.net, { uid: lab.uid, client: lab.client, intervalMs: 50 });
});
afterAll(async () => {
  await senders?.[Symbol.asyncDispose]();
  await networkd?.[Symbol.asyncDispose]();
});

// Each leads packets into the tunnel by other rules.
const modes: readonly (readonly [string, Routing])[] = [
  ['global', { mode: 'global', localNetwork: false }],
  ['app', include],
];

test.each(casesOf({ usual: modes.slice(0, 1), all: modes }))(
  'in mode %s what belongs in the tunnel stays inside when it removes what it does not know, which is put back',
  { timeout: waitLimit(90_000) },
  async (_mode, routing) => {
    const { net } = lab;
    await expectUnharmed(lab, senders, routing, {
      'a reconfiguration': async () => {
        // The filter alone is left, for as long as it takes.
        process.kill(net.pid(), 'SIGSTOP');
        try {
          await networkd.reconfigure();
          await eventually('it has removed our rules', async () => {
            const rules = await Promise.all((['-4', '-6'] as const).map((family) => ourRules(lab, family)));
            return rules.join('') === '' || undefined;
          });
          await senders.send();
        } finally {
          process.kill(net.pid(), 'SIGCONT');
        }
      },
      'an unplugged cable': async () => {
        await net.lab.user.run(words('ip link set uplink down'));
        await net.lab.user.run(words('ip link set uplink up'));
      },
    });
  },
);

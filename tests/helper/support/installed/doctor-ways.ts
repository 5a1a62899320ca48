import * as z from 'zod/mini';
import { controlContract } from '#shared/control/contract.ts';
import { createHostClient } from '#shared/host/client.ts';
import { defaultPreferences } from '#shared/host/preferences.ts';
import { createSay } from '#shared/texts/say.ts';
import { routing, tunnelState } from '#shared/tunnel/state.ts';
import { checkActualWay } from '../../../../src/main/cli/doctor/actual-way.ts';
import { routingSamples } from '../../../../src/main/preferences/routing-samples.ts';

/**
 * Run inside a machine, `node doctor-ways.ts STATE HOST PORT CHOSEN`: what `waymaker doctor` finds of where traffic
 * goes in that state, with what is chosen, as JSON.
 */
const [state = '', host = '', port = '', given = '{}'] = process.argv.slice(2);
const chosen = z
  .object({ preferences: z.optional(z.looseObject({})), routing: z.optional(routing) })
  .parse(JSON.parse(given));
const client = createHostClient(controlContract, {
  request(channel, input) {
    if (channel === 'preferences.get')
      return Promise.resolve({ ...defaultPreferences, ...chosen.preferences });
    if (channel !== 'routing.samples' || !chosen.routing)
      return Promise.reject(new Error(`${channel} is not answered`));
    const { addresses } = controlContract.routing.samples.input.parse(input);
    return Promise.resolve(routingSamples(chosen.routing, addresses));
  },
  subscribe: () => () => undefined,
});
const findings = await checkActualWay({
  tunnel: tunnelState.parse(JSON.parse(state)),
  service: { host, port: Number(port) },
  client,
  say: createSay('en', 'linux'),
});
process.stdout.write(JSON.stringify(findings));

import { controlContract } from '#shared/control/contract.ts';
import { createHostClient } from '#shared/host/client.ts';
import { defaultPreferences } from '#shared/host/contract.ts';
import { createSay } from '#shared/texts/say.ts';
import { tunnelState } from '#shared/tunnel/state.ts';
import { checkActualWay } from '../../../src/main/cli/doctor/actual-way.ts';

/**
 * Run inside a machine, `node doctor-ways.ts STATE HOST PORT`: what `waymaker doctor` finds of where traffic goes in that
 * state, with what is chosen where nothing was, as JSON.
 */
const [state = '', host = '', port = ''] = process.argv.slice(2);
const client = createHostClient(controlContract, {
  request: (channel) =>
    channel === 'preferences.get'
      ? Promise.resolve(defaultPreferences)
      : Promise.reject(new Error(`${channel} is not answered`)),
  subscribe: () => () => undefined,
});
const findings = await checkActualWay({
  tunnel: tunnelState.parse(JSON.parse(state)),
  service: { host, port: Number(port) },
  client,
  say: createSay('en'),
});
process.stdout.write(JSON.stringify(findings));

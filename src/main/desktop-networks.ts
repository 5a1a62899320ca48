import type { AutomaticConnection } from './automatic-connection.ts';
import type { Core } from './core/core.ts';
import type { NetworkInUse } from './networks/networks.ts';
import { nextStep, noRuleMemory, type RuleEvent } from './networks/untrusted-rule.ts';

/** Connects on networks that the user does not trust, if that is switched on. */
export function protectOnUntrusted({
  core,
  automatic,
}: {
  core: Core;
  automatic: AutomaticConnection;
}): void {
  const { networks } = core;
  if (!networks) return;
  let memory = noRuleMemory;
  let network: NetworkInUse | undefined;

  function take(event: RuleEvent): void {
    const next = nextStep(memory, event, {
      settings: core.behaviour.untrusted(),
      network,
      tunnel: core.tunnel.state(),
      canConnect: core.session.session().signedIn && core.server.server() !== undefined,
      killSwitch: core.preferences.get().killSwitch,
      isTrying: automatic.isTrying(),
    });
    memory = next.memory;
    switch (next.does) {
      case undefined:
        return;
      case 'connect':
        return automatic.begin();
      case 'stop-trying':
        return automatic.stop();
      case 'disconnect':
        automatic.stop();
        return void core.tunnel.end(undefined);
      default:
        return next.does satisfies never;
    }
  }

  const changed = () => take({ type: 'changed' });

  async function watch(): Promise<void> {
    if (!core.behaviour.untrusted().connectOnUntrusted) return;
    network = await networks?.watch();
    changed();
  }

  networks.onChange((now) => {
    network = now;
    changed();
  });
  core.onTunnelCommand((command) => take({ type: 'command', command }));
  core.onTunnelState(changed);
  core.session.onChange(changed);
  core.server.onChange(changed);
  core.onPlanChange(changed);
  core.preferences.onChange(changed);
  core.behaviour.onChange(() => {
    changed();
    void watch();
  });
  void watch();
}

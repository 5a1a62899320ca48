import type { DeviceInfo } from '#shared/entities.ts';
import { serverAt } from '#shared/plan/usable-group.ts';
import { createConnectionLog, type ConnectionLog } from '../diagnostics/connection-log.ts';
import type { HelperClient } from '../tunnel/helper-client.ts';
import type { Core } from './core.ts';
import type { CoreAccount } from './core-account.ts';
import type { CoreOptions } from './core-options.ts';
import type { CorePreferences } from './core-preferences.ts';
import { reportOnCore } from './core-report.ts';
import type { CoreTunnel } from './core-tunnel.ts';

/** What the user, or whoever helps them, can read about what happened. */
export interface CoreDiagnostics extends Pick<Core, 'problemReport'> {
  connectionLog: ConnectionLog;
}

export interface CoreDiagnosticsOptions extends Pick<
  CoreOptions,
  'version' | 'connectionLogFile' | 'lossWatch' | 'appLog'
> {
  device: DeviceInfo;
  account: Pick<CoreAccount, 'session' | 'plan' | 'onSignedOut'>;
  choices: Pick<CorePreferences, 'preferences' | 'behaviour' | 'server' | 'language'>;
  tunnel: Pick<CoreTunnel, 'tunnel' | 'onTunnelState' | 'onTunnelCommand'>;
  helper: HelperClient;
}

export function createCoreDiagnostics(options: CoreDiagnosticsOptions): CoreDiagnostics {
  const { version, device, lossWatch, appLog, account, choices, helper } = options;
  const { tunnel, onTunnelState, onTunnelCommand } = options.tunnel;
  const connectionLog = createConnectionLog({
    file: options.connectionLogFile,
    lossCause: () => lossWatch.cause(),
  });
  onTunnelCommand(() => connectionLog.commanded());
  onTunnelState((state) => {
    const gateway = 'gateway' in state ? state.gateway : undefined;
    const used = gateway && serverAt(gateway, account.plan.servers(), choices.server.server());
    connectionLog.add(state, used?.name ?? gateway?.host ?? '');
    if (state.state === 'connected') lossWatch.up();
  });
  // Ending the tunnel is part of the sign-out, and belongs to that account.
  account.onSignedOut(() => connectionLog.forget());
  return {
    connectionLog,
    problemReport: () =>
      reportOnCore({
        version,
        device,
        language: choices.language,
        session: account.session,
        helper,
        tunnel,
        preferences: choices.preferences,
        behaviour: choices.behaviour,
        connectionLog,
        appLog,
      }),
  };
}

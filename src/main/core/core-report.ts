import os from 'node:os';
import type { DeviceInfo, Language } from '#shared/entities.ts';
import { ssidText } from '#shared/networks.ts';
import type { ConnectionLog } from '../diagnostics/connection-log.ts';
import { problemReport } from '../diagnostics/problem-report.ts';
import { userName } from '../diagnostics/user-name.ts';
import { homeFolder } from '#node/os/home-folder.ts';
import type { BehaviourStore } from '../preferences/behaviour.ts';
import type { PreferencesStore } from '../preferences/preferences.ts';
import type { SessionStore } from '../session/session-store.ts';
import type { HelperClient } from '../tunnel/helper-client.ts';
import { readHelperLog } from '../tunnel/helper-log.ts';
import type { TunnelController } from '../tunnel/tunnel-controller.ts';

export interface CoreReportOptions {
  /** The app's version. */
  version: string;
  device: DeviceInfo;
  language: () => Language;
  session: SessionStore;
  helper: HelperClient;
  tunnel: TunnelController;
  preferences: PreferencesStore;
  behaviour: BehaviourStore;
  connectionLog: ConnectionLog;
  /** Lines of JSON, oldest first. */
  appLog: () => readonly string[];
}

/** The core's part of a problem report, without secrets and names of people. */
export async function reportOnCore(core: CoreReportOptions): Promise<string> {
  const { helper } = core;
  const { trustedNetworks } = core.behaviour.untrusted();
  return problemReport({
    at: new Date(),
    facts: {
      app: core.version,
      system: `${os.platform()} ${os.release()} ${os.arch()}`,
      runtime: `Electron ${process.versions['electron'] ?? 'none'}, Node ${process.versions.node}`,
      language: core.language(),
      'signed in': core.session.session().signedIn,
      helper: helper.isAttached() ? helper.capabilities() : 'absent',
      tunnel: core.tunnel.state(),
      preferences: core.preferences.get(),
      // Names of networks reveal where somebody is.
      behaviour: { ...core.behaviour.get(), trustedNetworks: trustedNetworks.length },
    },
    connectionLog: core.connectionLog.entries(),
    appLog: core.appLog(),
    helperLog: await readHelperLog(helper),
    names: {
      secrets: Object.values(core.session.credentials()).filter((secret) => secret !== undefined),
      homeDirectory: homeFolder(),
      userName: userName(process.env),
      hostName: core.device.name,
      networks: trustedNetworks.map(ssidText),
    },
  });
}

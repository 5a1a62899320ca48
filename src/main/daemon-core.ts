import Conf from 'conf';
import type { Logger } from 'pino';
import { createSay } from '#shared/texts/say.ts';
import type { Core } from './core.ts';
import { createCore } from './create-core.ts';
import { systemLanguage } from './daemon-place.ts';
import { createLossWatch } from './diagnostics/loss-cause.ts';
import { readEnvironment } from './environment.ts';
import type { OpenBrowser } from './gateway/single-sign-on.ts';
import { systemNetworks } from './networks/system-networks.ts';
import type { KeyValueFile } from './preferences/settings.ts';
import { openTextFileIn } from './preferences/text-file.ts';
import { createSystemKeychain } from './session/keychain.ts';
import { createRunProgram } from './system-proxy/run-program.ts';

/** The core without a desktop around it, on the files of the app: whoever has the core uses them alone. */
export function createDaemonCore(options: {
  profile: string;
  version: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  appLog: () => readonly string[];
  log: Logger;
}): Core {
  const { profile, env, platform, log } = options;
  /** As electron-store keeps it. */
  const openStore = (name: 'settings' | 'page-storage' | 'plan' | 'connection-log'): KeyValueFile =>
    new Conf<Record<string, unknown>>({
      cwd: profile,
      configName: name,
      accessPropertiesByDotNotation: false,
      clearInvalidConfig: true,
      configFileMode: 0o600,
    });

  /** There is no window to sign in to a gateway by, so whoever connects is told. */
  const openBrowser: OpenBrowser = async ({ loginUrl }, signal) => {
    if (signal.aborted) return { kind: 'cancelled' };
    await core.gatewayForms.show(
      new URL(loginUrl).hostname,
      createSay(core.language())('command.needsBrowser'),
    );
    return { kind: 'cancelled' };
  };

  const core = createCore({
    environment: readEnvironment(env, platform),
    version: options.version,
    lang: systemLanguage(env),
    settingsFile: openStore('settings'),
    pageFile: openStore('page-storage'),
    planFile: openStore('plan'),
    listsFile: openTextFileIn(profile, 'route-lists.json'),
    addressListsFile: openTextFileIn(profile, 'address-lists.json'),
    connectionLogFile: openStore('connection-log'),
    lossWatch: createLossWatch(),
    appLog: options.appLog,
    keychain: createSystemKeychain(),
    networks: systemNetworks({ platform, env, log }),
    runProgram: createRunProgram(),
    session: env,
    openBrowser,
    openPortalWindow: () => Promise.resolve(),
    log,
  });
  return core;
}

import type { Logger } from 'pino';
import { desktopPlatform } from '#node/os/desktop-platform.ts';
import { preferredTag } from '#shared/language.ts';
import { createSay } from '#shared/texts/say.ts';
import type { Core } from './core/core.ts';
import { createCore } from './core/create-core.ts';

import { createLossWatch } from './diagnostics/loss-cause.ts';
import { readEnvironment, systemLanguages } from './environment.ts';
import type { OpenBrowser } from './gateway/sign-in/single-sign-on.ts';
import { systemNetworks } from './networks/system-networks.ts';
import { openCoreFiles, openKeptFile } from './preferences/kept-file.ts';
import { createFallbackKeychain } from './session/fallback-keychain.ts';
import { createSystemKeychain } from './session/keychain.ts';
import { createSealedKeychain } from './tunnel/sealed-keychain.ts';
import { createRunProgram } from './run-program.ts';

/** The core without a desktop, on the app's files; only one process at a time uses them. */
export function createDaemonCore(options: {
  profile: string;
  version: string;
  env: NodeJS.ProcessEnv;
  platform: NodeJS.Platform;
  appLog: () => readonly string[];
  log: Logger;
}): Core {
  const { profile, env, platform, log } = options;
  /** There is no window for signing in to a gateway with a browser, so the user gets a message. */
  const openBrowser: OpenBrowser = async ({ loginUrl }, signal) => {
    if (signal.aborted) return { kind: 'cancelled' };
    await core.gatewayForms.show(
      new URL(loginUrl).hostname,
      createSay(core.language(), desktopPlatform(platform))('command.needsBrowser'),
    );
    return { kind: 'cancelled' };
  };

  const environment = readEnvironment(env, platform);
  const { version } = options;
  const sealed = createSealedKeychain({
    file: openKeptFile(profile, 'sealed-secrets'),
    socketPath: environment.helperSocket,
    version,
    log,
  });
  const core = createCore({
    environment,
    version,
    lang: preferredTag(systemLanguages(env)),
    ...openCoreFiles(profile),
    lossWatch: createLossWatch(),
    appLog: options.appLog,
    keychain: createFallbackKeychain(createSystemKeychain(), sealed),
    networks: systemNetworks({ platform, env, log }),
    runProgram: createRunProgram(),
    session: env,
    openBrowser,
    openPortalWindow: () => Promise.resolve(),
    log,
  });
  return core;
}

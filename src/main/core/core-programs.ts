import os from 'node:os';
import type { Logger } from 'pino';
import type { Language } from '#shared/entities.ts';
import { homeFolder } from '#node/os/home-folder.ts';
import { createRoutedPrograms } from '../programs/routed-programs.ts';
import { systemPrograms } from '../programs/system-programs.ts';
import { createTunnelBrowser } from '../programs/tunnel-browser.ts';
import { ownProxy } from '../system-proxy/sync-with-tunnel.ts';
import type { HelperClient } from '../tunnel/helper-client.ts';
import { createMoveProcess } from '../tunnel/move-process.ts';
import type { Core } from './core.ts';
import type { CoreOptions } from './core-options.ts';
import type { CorePreferences } from './core-preferences.ts';
import type { CoreTunnel } from './core-tunnel.ts';

/** The programs of the user's desktop: those that are routed by themselves, and a browser for the tunnel. */
export interface CorePrograms extends Pick<Core, 'routedPrograms' | 'admitProcess' | 'tunnelBrowser'> {
  close(): void;
}

export interface CoreProgramsOptions extends Pick<CoreOptions, 'runProgram' | 'session'> {
  choices: Pick<CorePreferences, 'preferences' | 'language'>;
  tunnel: Pick<CoreTunnel, 'tunnel' | 'onTunnelState'>;
  helper: HelperClient;
  log: Logger;
}

/** The locales of desktop entries for our languages, closest first. */
const entryLocales: Readonly<Record<Language, readonly string[]>> = {
  en: ['en', 'en_US', 'en_GB'],
  'zh-hans': ['zh_CN', 'zh_SG', 'zh'],
  'zh-hant': ['zh_TW', 'zh_HK', 'zh'],
};

export function createCorePrograms(options: CoreProgramsOptions): CorePrograms {
  const { helper, log } = options;
  const { preferences, language } = options.choices;
  const { tunnel, onTunnelState } = options.tunnel;
  const routedPrograms = createRoutedPrograms({
    surroundings: () => ({
      env: options.session,
      home: homeFolder(),
      locales: entryLocales[language()],
    }),
    ownProgram: process.execPath,
    choice() {
      const { routing, apps: programs } = preferences.get();
      return routing === 'app' && programs && programs.ids.length > 0 ? programs : undefined;
    },
    move: createMoveProcess(helper),
    log,
  });
  preferences.prepareWith(() => routedPrograms.apply());
  onTunnelState((state) => routedPrograms.follow(state));
  const tunnelBrowser = createTunnelBrowser({
    proxyAddress: () => ownProxy(tunnel.state())?.address,
    findBrowser: () => systemPrograms().findBrowser(options.runProgram, options.session),
    env: options.session,
    directory: os.tmpdir(),
    log,
  });
  return {
    routedPrograms: routedPrograms.host,
    async admitProcess(pid) {
      await helper.ready;
      if (helper.capabilities()?.includes('routing.app') !== true) return 'unsupported';
      return await routedPrograms.admit(pid);
    },
    tunnelBrowser,
    close() {
      tunnelBrowser.close();
      routedPrograms.close();
    },
  };
}

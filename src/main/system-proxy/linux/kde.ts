import type { Logger } from 'pino';

import type { OwnValue, ProxySettings } from '../proxy-settings.ts';
import type { RunProgram } from '../../run-program.ts';

/**
 * The place where KDE's own proxy page stores them (kio-extras, kcms/proxy/kioslave.kcfg); the same in Plasma 5 and 6.
 */
const place = ['--file', 'kioslaverc', '--group', 'Proxy Settings'];
const keys = { address: 'Proxy Config Script', mode: 'ProxyType' } as const;
/** The ProxyType for a PAC file. */
const pacType = '2';

/**
 * Hides the system's files. KConfig merges them into what is read; if they contain a key, it writes a deletion mark
 * instead of removing the key.
 */
const ownFileOnly = { XDG_CONFIG_DIRS: '/dev/null' };
const unset = 'waymaker: unset';

/**
 * The proxy settings of KDE Plasma. A Chromium that found no ProxyType when it started only looks again at its next
 * start (its net/proxy_resolution/proxy_config_service_linux.cc); it sees all other changes at once.
 */
export function createKdeProxy(run: RunProgram, log: Logger): ProxySettings {
  /** Runs the tool of Plasma 6, or that of Plasma 5 if there is no other. */
  const runEither: RunProgram = async (tool, args, env) =>
    (await run(`${tool}6`, args, env)) ?? (await run(`${tool}5`, args, env));

  async function readKey(key: string): Promise<{ own: OwnValue; effective: string } | undefined> {
    const [own, effective] = await Promise.all([
      runEither('kreadconfig', [...place, '--key', key, '--default', unset], ownFileOnly),
      runEither('kreadconfig', [...place, '--key', key]),
    ]);
    if (own === undefined || effective === undefined) return undefined;
    return { own: own === unset ? null : own, effective };
  }

  /** Notifies KDE's running programs, as its own proxy page does. Browsers watch the file and need no notification. */
  async function announce(): Promise<void> {
    const signal = 'org.kde.KIO.Scheduler.reparseSlaveConfiguration';
    try {
      await run('dbus-send', ['--session', '--type=signal', '/KIO/Scheduler', signal, 'string:']);
    } catch (error) {
      log.warn({ err: error }, 'running programs of KDE were not told of the new proxy settings');
    }
  }

  return {
    async read() {
      const [address, mode] = await Promise.all([readKey(keys.address), readKey(keys.mode)]);
      if (!address || !mode) return undefined;
      return {
        own: { address: address.own, mode: mode.own },
        effective: { address: address.effective, mode: mode.effective },
      };
    },
    async write(changes) {
      for (const [setting, value] of changes) {
        // After the two dashes, a value may begin with one.
        const what = value === null ? ['--delete', ''] : ['--', value];
        await runEither('kwriteconfig', [...place, '--key', keys[setting], ...what], ownFileOnly);
      }
      await announce();
    },
    pointingAt: (pacUrl) => ({ address: pacUrl, mode: pacType }),
  };
}

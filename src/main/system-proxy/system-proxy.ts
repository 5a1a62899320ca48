import type { Logger } from 'pino';
import { createSerialQueue } from '#shared/serial-queue.ts';
import { desktopProxies } from './desktop-proxies.ts';
import type { DesktopProxies, ProxyPlace } from './desktop-proxies-port.ts';
import type { PacSettings, ProxyChange } from './proxy-settings.ts';
import type { RunProgram } from '../run-program.ts';
import type { Setting, Settings } from '../preferences/settings.ts';

/**
 * Points the browsers of the user's desktop at a PAC file, and restores the earlier settings. Calls are processed in
 * order.
 */
export interface SystemProxy {
  /**
   * False if the desktop is not supported, if it failed, or if the user has chosen another proxy since the last call.
   * Only addresses of PAC files on 127.0.0.1 are ever set.
   */
  use(pacUrl: string): Promise<boolean>;
  /** Restores the earlier settings, even those from before a crash. What others have set meanwhile is left alone. */
  restore(): Promise<void>;
}

export interface SystemProxyOptions {
  settings: Settings;
  run: RunProgram;
  /** The environment of the desktop session. */
  env: Readonly<NodeJS.ProcessEnv>;
  /** This one, unless a test plays another. */
  platform?: NodeJS.Platform;
  /** Those of that system, unless a test plays others. */
  desktops?: DesktopProxies;
  log: Logger;
}

type Kept = Setting<'proxyBefore'>[string];
type Outcome = 'done' | 'absent' | 'failed';

export function createSystemProxy({
  settings,
  run,
  env,
  platform,
  log,
  desktops = desktopProxies({ run, env, log }, platform),
}: SystemProxyOptions): SystemProxy {
  /** Where this run of the app has changed the settings. */
  const changed = new Set<ProxyPlace>();
  const enqueue = createSerialQueue();

  /** False if it is not on disk now. */
  function keep(place: ProxyPlace, before: Kept): boolean {
    return settings.set('proxyBefore', { ...settings.get('proxyBefore'), [place]: before });
  }

  async function pointAt(place: ProxyPlace, pacUrl: string): Promise<Outcome> {
    const desktop = desktops.at(place);
    const now = await desktop.read();
    if (!now) return 'absent';
    const kept = settings.get('proxyBefore')[place];
    const current = kept?.pacUrls.find((url) => isSame(now.effective, desktop.pointingAt(url)));
    if (current === pacUrl) return 'done';
    if (kept && current === undefined) {
      if (changed.has(place)) {
        log.info({ place }, 'the proxy settings were changed by others; they stay');
        return 'failed';
      }
      // An earlier run ended half-way, or the user has changed something since, so start from the beginning.
      return (await putBack(place)) ? await pointAt(place, pacUrl) : 'failed';
    }
    // Written first: after a crash at any later point, it is known what to restore and which addresses are ours.
    const pacUrls = current === undefined ? [pacUrl] : [current, pacUrl];
    if (!keep(place, { own: kept?.own ?? now.own, pacUrls })) {
      log.warn({ place }, 'the proxy settings stay as they are: they cannot be noted down');
      // Nothing was changed, and the disk still has the earlier record.
      keep(place, kept);
      return 'failed';
    }
    changed.add(place);
    try {
      const ours = desktop.pointingAt(pacUrl);
      // The mode last: automatic mode without an address looks for a PAC file on the network.
      await desktop.write([
        ['address', ours.address],
        ['mode', ours.mode],
      ]);
      const after = await desktop.read();
      if (after && isSame(after.effective, ours)) return 'done';
      log.warn({ place }, 'the proxy settings did not take effect');
    } catch (error) {
      log.warn({ err: error, place }, 'the proxy settings cannot be changed');
    }
    await putBack(place);
    return 'failed';
  }

  /** Returns whether nothing is left to restore. */
  async function putBack(place: ProxyPlace): Promise<boolean> {
    const kept = settings.get('proxyBefore')[place];
    if (!kept) return true;
    const desktop = desktops.at(place);
    const now = await desktop.read();
    if (!now) {
      log.warn({ place }, 'the proxy settings are not there to be put back');
      return false;
    }
    const ours = kept.pacUrls
      .map((url) => desktop.pointingAt(url))
      .find(({ address }) => address === now.own.address);
    if (ours) {
      // The mode may already be different: the user changed it, or it was not set before a crash. If our mode is also
      // the default, it counts as not set.
      const isOurMode = (now.own.mode ?? now.effective.mode) === ours.mode;
      const mode: ProxyChange[] = isOurMode ? [['mode', kept.own.mode]] : [];
      const changes: ProxyChange[] = [...mode, ['address', kept.own.address]];
      await desktop.write(changes);
      const after = await desktop.read();
      if (!changes.every(([setting, value]) => after?.own[setting] === value)) {
        log.warn({ place }, 'the proxy settings were put back without effect');
        return false;
      }
    } else {
      log.info({ place }, 'the proxy settings are not ours any more; they stay');
    }
    keep(place, undefined);
    changed.delete(place);
    return true;
  }

  /** Logs failures and returns `instead`. They are expected, because the desktop's tools are not ours. */
  async function logged<Value>(place: ProxyPlace, work: Promise<Value>, instead: Value): Promise<Value> {
    try {
      return await work;
    } catch (error) {
      log.warn({ err: error, place }, 'the proxy settings cannot be read or changed');
      return instead;
    }
  }

  return {
    use: (pacUrl) =>
      enqueue(async () => {
        if (!isLocalPac(pacUrl)) {
          log.error('an address that is no PAC file on this machine was not set');
          return false;
        }
        const outcomes: Outcome[] = [];
        for (const place of await logged('all', desktops.current(), [])) {
          outcomes.push(await logged(place, pointAt(place, pacUrl), 'failed'));
        }
        return outcomes.includes('done') && !outcomes.includes('failed');
      }),
    restore: () =>
      enqueue(async () => {
        // Not only those of this desktop: the user may have been in another one when they were changed.
        for (const place of Object.keys(settings.get('proxyBefore')))
          await logged(place, putBack(place), false);
      }),
  };
}

/** Only letters that need no quoting in any desktop's notation. */
function isLocalPac(url: string): boolean {
  const port = /^http:\/\/127\.0\.0\.1:([1-9]\d{0,4})\/[\w-]+\.pac$/.exec(url)?.[1];
  return port !== undefined && Number(port) <= 65535;
}

function isSame(one: PacSettings<string>, other: PacSettings<string>): boolean {
  return one.address === other.address && one.mode === other.mode;
}

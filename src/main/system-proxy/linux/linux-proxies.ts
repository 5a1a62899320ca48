import { desktopNames } from '../../linux/desktop-names.ts';
import type { DesktopProxies, DesktopProxiesOptions, ProxyPlace } from '../desktop-proxies-port.ts';
import { createGnomeProxy } from './gnome.ts';
import { createKdeProxy } from './kde.ts';

export function createLinuxProxies({ run, env, log }: DesktopProxiesOptions): DesktopProxies {
  const proxies = new Map([
    ['gnome', createGnomeProxy(run)],
    ['kde', createKdeProxy(run, log)],
  ]);
  return {
    current: () => Promise.resolve(placesOf(desktopNames(env))),
    at(place) {
      const found = proxies.get(place);
      if (!found) throw new Error(`no proxy settings of ${place} here`);
      return found;
    },
  };
}

/** Desktops that use GNOME's settings. */
const gnomeLike = ['gnome', 'unity', 'cinnamon', 'mate', 'pantheon', 'budgie', 'dde', 'ukui'];

/** In KDE both, because Firefox reads GNOME's settings on every desktop (toolkit/system/unixproxy). */
function placesOf(names: readonly string[]): ProxyPlace[] {
  if (names.includes('kde')) return ['kde', 'gnome'];
  return names.some((name) => gnomeLike.includes(name)) ? ['gnome'] : [];
}

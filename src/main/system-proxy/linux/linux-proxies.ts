import type { DesktopProxies, DesktopProxiesOptions, ProxyPlace } from '../desktop-proxies-port.ts';
import { createGnomeProxy } from './gnome.ts';
import { createKdeProxy } from './kde.ts';

export function createLinuxProxies({ run, env, log }: DesktopProxiesOptions): DesktopProxies {
  const proxies = { gnome: createGnomeProxy(run), kde: createKdeProxy(run, log) };
  return {
    places: ['gnome', 'kde'],
    current: () => placesOf(env['XDG_CURRENT_DESKTOP']),
    at: (place) => proxies[place],
  };
}

/** Desktops that use GNOME's settings, by their names in XDG_CURRENT_DESKTOP. */
const gnomeLike = ['GNOME', 'Unity', 'X-Cinnamon', 'MATE', 'Pantheon', 'Budgie', 'Deepin', 'UKUI'];

/** In KDE both, because Firefox reads GNOME's settings on every desktop (toolkit/system/unixproxy). */
function placesOf(currentDesktop = ''): ProxyPlace[] {
  const names = currentDesktop.split(':');
  if (names.includes('KDE')) return ['kde', 'gnome'];
  return names.some((name) => gnomeLike.includes(name)) ? ['gnome'] : [];
}

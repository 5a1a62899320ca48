import type { Settings } from './settings.ts';

const maxKept = 16;

/** Whether this has never been shown before, even in an earlier run; marks it as shown. */
export function toldOnce(settings: Settings, name: string): boolean {
  const told = settings.get('toldOnce');
  if (told.includes(name)) return false;
  settings.set('toldOnce', [...told, name].slice(-maxKept));
  return true;
}

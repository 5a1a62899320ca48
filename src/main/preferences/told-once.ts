import type { Settings } from './settings.ts';

const maxKept = 16;

/** Whether this has not been told before, also not in an earlier run; from now on it has. */
export function toldOnce(settings: Settings, name: string): boolean {
  const told = settings.get('toldOnce');
  if (told.includes(name)) return false;
  settings.set('toldOnce', [...told, name].slice(-maxKept));
  return true;
}

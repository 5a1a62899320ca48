import { linkAmong } from './links/deep-link.ts';
import { hiddenSwitch } from './login-item/system-login-item.ts';

/** What another start of the app asks of the one that runs. */
export interface SecondStart {
  showsWindow: boolean;
  link: string | undefined;
}

/**
 * `argv`: of the second start. Desktops that bring back the programs of the last session start the app, and then once
 * more for its entry for logins, which nobody has clicked.
 */
export function secondStart(argv: readonly string[]): SecondStart {
  const link = linkAmong(argv);
  return { showsWindow: link !== undefined || !argv.includes(hiddenSwitch), link };
}

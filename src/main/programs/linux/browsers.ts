import type { AskProgram } from '../programs-port.ts';
import type { Browser } from '../tunnel-browser.ts';
import { findProgram } from './program-file.ts';

/** The names that distributions use. If several are installed, the one that most people prefer comes first. */
const browsers: readonly { names: readonly string[]; kind: Browser['kind'] }[] = [
  { names: ['google-chrome-stable', 'google-chrome'], kind: 'chromium' },
  { names: ['firefox', 'firefox-esr', 'librewolf'], kind: 'firefox' },
  { names: ['brave-browser', 'brave-browser-stable', 'brave'], kind: 'chromium' },
  { names: ['microsoft-edge-stable', 'microsoft-edge'], kind: 'chromium' },
  { names: ['chromium', 'chromium-browser'], kind: 'chromium' },
  { names: ['vivaldi-stable', 'vivaldi'], kind: 'chromium' },
];

/** The default browser is found by its desktop file, such as `firefox.desktop`. */
export async function findBrowser(
  ask: AskProgram,
  env: Readonly<NodeJS.ProcessEnv>,
): Promise<Browser | undefined> {
  const file = await ask('xdg-settings', ['get', 'default-web-browser']).catch(() => undefined);
  const preferred = file?.replace(/\.desktop$/, '') ?? '';
  const ordered = [...browsers].sort(
    (one, other) => Number(other.names.includes(preferred)) - Number(one.names.includes(preferred)),
  );
  for (const { names, kind } of ordered) {
    for (const name of names) {
      const program = await findProgram(name, env['PATH']);
      if (program !== undefined) return { program, kind };
    }
  }
  return undefined;
}

import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext } from 'playwright';

const ownChoice = process.env['WAYMAKER_CHROMIUM'];
const shell = '/usr/bin/chromium-headless-shell';

export const chromiumExecutable = ownChoice ?? '/usr/bin/chromium';
/** For pages that nobody looks at: without windows, and so without the processes that draw around the page. */
export const headlessExecutable = ownChoice ?? (existsSync(shell) ? shell : chromiumExecutable);

/** Nothing but the pages under test may use the network: captures count every packet. */
export const quietArguments = (): string[] => [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-domain-reliability',
  '--no-pings',
  // Chromium's sandbox refuses to start as root.
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];

interface WindowOptions {
  languages: string[];
  dark: boolean;
  viewport: { width: number; height: number };
}

export interface ChromiumOptions extends WindowOptions {
  /** Folder of the profile. */
  profile: string;
  /** The program that is started in place of Chromium, e.g. one that starts it in a network namespace. */
  executablePath?: string;
  headless?: boolean;
  args?: string[];
}

/** A Chromium of its own with a persistent profile; Playwright speaks to it over a pipe, not over TCP. */
export async function launchChromium(options: ChromiumOptions): Promise<BrowserContext> {
  const { headless = true } = options;
  return chromium.launchPersistentContext(options.profile, {
    executablePath: options.executablePath ?? (headless ? headlessExecutable : chromiumExecutable),
    headless,
    // Signals are for who started the app; Playwright would end this process on them. Chromium ends with its pipe.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [...quietArguments(), `--accept-lang=${options.languages.join(',')}`, ...(options.args ?? [])],
    ...contextOptions(options),
    ...(headless ? {} : { viewport: null }),
  });
}

/** A profile of its own, in memory, of a Chromium that others use too. */
export const openProfile = (browser: Browser, options: WindowOptions): Promise<BrowserContext> =>
  browser.newContext(contextOptions(options));

const contextOptions = ({ languages, dark, viewport }: WindowOptions) => ({
  locale: languages[0] ?? 'en-US',
  colorScheme: dark ? ('dark' as const) : ('light' as const),
  // What moves costs the processor a tenth of a test, and is drawn only in the tests that ask for it.
  reducedMotion: 'reduce' as const,
  viewport,
});

import { chromium, type BrowserContext } from 'playwright';

const executable = process.env['WAYMAKER_CHROMIUM'] ?? '/usr/bin/chromium';

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

export interface ChromiumOptions {
  /** Folder of the profile. */
  profile: string;
  languages: string[];
  dark: boolean;
  viewport: { width: number; height: number };
  /** The program that is started in place of Chromium, e.g. one that starts it in a network namespace. */
  executablePath?: string;
  headless?: boolean;
  args?: string[];
}

/** A Chromium of its own with a persistent profile; Playwright speaks to it over a pipe, not over TCP. */
export async function launchChromium(options: ChromiumOptions): Promise<BrowserContext> {
  return chromium.launchPersistentContext(options.profile, {
    executablePath: options.executablePath ?? executable,
    headless: options.headless ?? true,
    // Signals are for who started the app; Playwright would end this process on them. Chromium ends with its pipe.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    args: [...quietArguments(), `--accept-lang=${options.languages.join(',')}`, ...(options.args ?? [])],
    locale: options.languages[0] ?? 'en-US',
    colorScheme: options.dark ? 'dark' : 'light',
    viewport: options.headless === false ? null : options.viewport,
  });
}

export const chromiumExecutable = executable;

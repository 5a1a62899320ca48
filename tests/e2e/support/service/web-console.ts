import type { Browser, Page } from 'playwright/test';
import { chromium } from 'playwright';
import { headlessExecutable, quietArguments } from '../../../stand-in/chromium.ts';
import { answerProbes } from '../tunnel/probe-pages.ts';
import type { TestService } from './service.ts';
import { languageTags, type TextLanguage } from '../screens/texts.ts';

export interface ConsoleOptions {
  language?: TextLanguage;
  dark?: boolean;
  viewport?: { width: number; height: number };
  /** Where it is opened, with the query. */
  path?: string;
}

/**
 * Service workers, which put themselves between the page and its network, and what moves are for tests that ask for
 * them.
 */
export async function launchBrowser(
  executablePath = headlessExecutable,
  moreArguments: readonly string[] = [],
): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, args: [...quietArguments(), ...moreArguments] });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = (options) =>
    newContext({ serviceWorkers: 'block', reducedMotion: 'reduce', ...options });
  return browser;
}

/** Opens the web console in a browser profile of its own. */
export async function openConsole(
  browser: Browser,
  service: Pick<TestService, 'consoleUrl'>,
  options: ConsoleOptions = {},
): Promise<Page> {
  const { language = 'en', dark = false, viewport = { width: 1200, height: 800 }, path = '' } = options;
  const context = await browser.newContext({
    locale: languageTags[language],
    colorScheme: dark ? 'dark' : 'light',
    viewport,
  });
  await answerProbes(context);
  const page = await context.newPage();
  await page.goto(service.consoleUrl + path);
  return page;
}

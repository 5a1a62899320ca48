import { chromium, type Page } from 'playwright';
import type { DesktopSession } from '../../../lab/desktop/desktop-session.ts';
import type { Lab } from '../../../lab/lab.ts';
import type { EchoReply } from '../../../lab/network/echo.ts';
import { names } from '../../../lab/network/addresses.ts';
import { chromiumExecutable, quietArguments } from '../../../stand-in/chromium.ts';
import { chromiumIn } from './chromium-in.ts';

/** What makes programs take a session for one of GNOME. */
export const gnome = { XDG_CURRENT_DESKTOP: 'GNOME' };

export interface DesktopBrowser extends AsyncDisposable {
  /** The source address that a site saw of what the browser loads from it; undefined if it could not be reached. */
  seenBy(host: string): Promise<string | undefined>;
}

/** The user's browser in a GNOME session, whose proxy settings it follows; the headless shell would not. */
export async function openDesktopBrowser(lab: Lab, session: DesktopSession): Promise<DesktopBrowser> {
  const browser = await chromium.launch({
    executablePath: await chromiumIn(lab.user, session.directory, chromiumExecutable),
    // Without asking the session's keyring for what encrypts its cookies.
    args: [...quietArguments(), '--headless=new', '--password-store=basic'],
    env: { ...process.env, ...session.env, ...gnome },
  });
  // A page that stays loads it the same way, for a twentieth of what opening one costs.
  const page: Page = await browser.newPage();
  await page.goto(`http://${names.direct}/`);
  return {
    seenBy: (host) =>
      page.evaluate(async (url) => {
        try {
          const reply = await fetch(url, { cache: 'no-store' });
          return ((await reply.json()) as EchoReply).address;
        } catch {
          return undefined;
        }
      }, `http://${host}/`),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

import path from 'node:path';
import { addresses } from '../../../lab/network/addresses.ts';
import type { Lab } from '../../../lab/lab.ts';
import { launchChromium } from '../../../stand-in/chromium.ts';
import { chromiumIn } from '../machine/chromium-in.ts';

/** Opens pages on the far side in the user's own browser: the source addresses that they saw. */
export async function addressesSeenByPages(
  lab: Lab,
  directory: string,
): Promise<{ ipv4: string; ipv6: string }> {
  const browser = await launchChromium({
    profile: path.join(directory, 'browser'),
    languages: ['en-US'],
    dark: false,
    viewport: { width: 800, height: 600 },
    executablePath: await chromiumIn(lab.user, directory),
  });
  const seenBy = async (host: string) => {
    const page = await browser.newPage();
    await page.goto(`http://${host}/`);
    return await page.locator('#address').innerText();
  };
  try {
    return { ipv4: await seenBy(addresses.echo.ipv4), ipv6: await seenBy(`[${addresses.echo.ipv6}]`) };
  } finally {
    await browser.close();
  }
}

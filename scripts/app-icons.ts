import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { chromium } from 'playwright';
import { iconFile, iconFolder, iconSizes, markFile } from '../packaging/desktop/icons.ts';
import { headlessExecutable, quietArguments } from '../tests/stand-in/chromium.ts';

/**
 * Draws the app's icons, in all sizes that menus ask for, from the mark that the pages have. They are committed, so
 * that making a package does not need the program that draws them: `node scripts/app-icons.ts`.
 */
const browser = await chromium.launch({ executablePath: headlessExecutable, args: quietArguments() });
try {
  await mkdir(iconFolder, { recursive: true });
  const page = await browser.newPage();
  const drawing = await readFile(markFile, 'utf8');
  for (const pixels of iconSizes) {
    await page.setViewportSize({ width: pixels, height: pixels });
    await page.setContent(`<style>body{margin:0}svg{display:block;width:${pixels}px}</style>${drawing}`);
    await writeFile(iconFile(pixels), await page.screenshot({ omitBackground: true }));
  }
} finally {
  await browser.close();
}

import { mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright';

/** Pictures on one sheet: as many as can be looked at together. */
const sheetSize = 24;

/**
 * Puts the pictures of a folder side by side, with their names, those of one viewport and theme together; the sheets
 * come into its folder `sheets`.
 */
export async function writeContactSheets(browser: Browser, folder: string): Promise<void> {
  const sheets = path.join(folder, 'sheets');
  await mkdir(sheets, { recursive: true });
  const files = (await readdir(folder)).filter((file) => file.endsWith('.png')).toSorted();
  const kinds = Map.groupBy(files, (file) => {
    const [, language, host, rest] =
      /^([a-z]+(?:-han[st])?)-([a-z]+)-.*?((?:-whole)?-(?:light|dark))\.png$/.exec(file) ?? [];
    const size = /-(large|desktop|window|phone)(?:-whole)?-(?:light|dark)\.png$/.exec(file)?.[1];
    return `${language}-${host}-${size}${rest}`;
  });
  const page = await browser.newPage({ viewport: { width: 2000, height: 1000 } });
  // From a file, or it may not show any.
  await page.goto(pathToFileURL(path.join(folder, files[0] ?? '')).href);
  for (const [kind, members] of kinds) {
    for (let first = 0; first < members.length; first += sheetSize) {
      await page.evaluate(
        ({ shown, width }) => {
          document.body.replaceChildren();
          document.body.style.cssText =
            'margin:12px;background:#888;display:flex;flex-wrap:wrap;gap:12px;align-items:start;font:14px sans-serif';
          for (const file of shown) {
            const figure = document.createElement('figure');
            figure.style.margin = '0';
            const image = new Image(width);
            image.src = file;
            figure.append(file, document.createElement('br'), image);
            document.body.append(figure);
          }
        },
        { shown: members.slice(first, first + sheetSize), width: kind.includes('-phone') ? 310 : 480 },
      );
      await page.waitForFunction(() => [...document.images].every(({ complete }) => complete));
      const name = `${kind}-${first / sheetSize + 1}.png`;
      await page.screenshot({ path: path.join(sheets, name), fullPage: true });
    }
  }
  await page.close();
}

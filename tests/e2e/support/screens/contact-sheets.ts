import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright';

/** Pictures on one sheet: as many as can be looked at together. */
const sheetSize = 24;

/**
 * Puts the pictures of a folder whose names begin so side by side, with their names, those of one viewport and theme
 * together. The sheets come into its folder `sheets`: as a picture, and as a page that leads to the pictures.
 */
export async function writeContactSheets(browser: Browser, folder: string, prefix: string): Promise<void> {
  const sheets = path.join(folder, 'sheets');
  await mkdir(sheets, { recursive: true });
  const files = (await readdir(folder)).filter((file) => file.startsWith(prefix) && file.endsWith('.png'));
  const kinds = Map.groupBy(files.toSorted(), (file) => {
    const [, language, host, rest] =
      /^([a-z]+(?:-han[st])?)-([a-z]+)-.*?((?:-whole)?-(?:light|dark))\.png$/.exec(file) ?? [];
    const size = /-(large|desktop|window|phone)(?:-whole)?-(?:light|dark)\.png$/.exec(file)?.[1];
    return `${language}-${host}-${size}${rest}`;
  });
  const page = await browser.newPage({ viewport: { width: 2000, height: 1000 } });
  for (const [kind, members] of kinds) {
    for (let first = 0; first < members.length; first += sheetSize) {
      const sheet = path.join(sheets, `${kind}-${first / sheetSize + 1}`);
      const width = kind.includes('-phone') ? 310 : 480;
      await writeFile(`${sheet}.html`, sheetPage(members.slice(first, first + sheetSize), width));
      await page.goto(pathToFileURL(`${sheet}.html`).href);
      await page.screenshot({ path: `${sheet}.png`, fullPage: true });
    }
  }
  await page.close();
}

const sheetPage = (files: readonly string[], width: number) => `<!doctype html>
<meta charset="utf-8">
<style>
  body { display: flex; flex-wrap: wrap; gap: 12px; align-items: start; margin: 12px; background: #888; font: 14px sans-serif }
  figure { margin: 0; width: ${width}px }
  figcaption { overflow-wrap: anywhere }
</style>
${files.map((file) => `<figure><figcaption>${file}</figcaption><a href="../${file}"><img src="../${file}" width="${width}"></a></figure>`).join('\n')}
`;

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { chromium, type Page } from 'playwright';
import { trayLooks, type TrayLook } from '../src/main/tray/tray-look.ts';
import type { TrayTone } from '../src/main/tray/tray-tone.ts';
import { headlessExecutable, quietArguments } from '../tests/stand-in/chromium.ts';

/**
 * Draws the tray's icons from resources/tray/tray.svg, for each state of the tunnel and each kind of bar. They are
 * committed, so that neither a build nor the app needs the program that draws them: `node scripts/tray-icons.ts`.
 */
const folder = path.resolve(import.meta.dirname, '../resources/tray');

const badges: Record<Exclude<TrayTone, 'template'>, Record<TrayLook, string>> = {
  'on-light': { off: 'none', working: '#9a5b00', on: '#0a7560', problem: '#b45309', blocked: '#c62828' },
  'on-dark': { off: 'none', working: '#ffc56b', on: '#4fe0b8', problem: '#ffb74d', blocked: '#ff7b74' },
};

/** Colours of the path, and of what is drawn on a badge; a template is black, with holes. */
const colours: Record<
  TrayTone,
  { way: string; wayOff: string; mark: string; badge: (look: TrayLook) => string }
> = {
  'on-light': {
    way: '#1b2420',
    wayOff: '#5c6a64',
    mark: '#fff',
    badge: (look) => badges['on-light'][look],
  },
  'on-dark': {
    way: '#fff',
    wayOff: '#b9c4bf',
    mark: '#10201b',
    badge: (look) => badges['on-dark'][look],
  },
  template: { way: '#000', wayOff: '#000', mark: 'hole', badge: () => '#000' },
};

const files: { tone: TrayTone; suffix: string; pixels: number }[] = [
  // Systems scale it down to the height of their bars.
  { tone: 'on-light', suffix: 'on-light', pixels: 32 },
  { tone: 'on-dark', suffix: 'on-dark', pixels: 32 },
  { tone: 'template', suffix: 'template', pixels: 16 },
  { tone: 'template', suffix: 'template@2x', pixels: 32 },
];

/** Changes the drawing to one state on one kind of bar; runs in the page. */
function dress({
  look,
  others,
  way,
  mark,
  badge,
}: Record<'look' | 'way' | 'mark' | 'badge', string> & { others: string[] }): void {
  const svg = document.querySelector('svg');
  if (!svg) throw new Error('there is no drawing');
  for (const other of others) svg.querySelector(`#${other}`)?.remove();
  svg.style.setProperty('--way', way);
  svg.style.setProperty('--badge', badge);
  svg.style.setProperty('--mark', mark);
  if (look !== 'off') svg.querySelector('#way')?.setAttribute('mask', 'url(#without-badge)');
  const badgeGroup = svg.querySelector(`#${look}`);
  if (mark !== 'hole' || !badgeGroup) return;
  // Black on black is invisible: what is drawn on the badge is cut out of it.
  const [shape, ...marks] = badgeGroup.children;
  if (!shape || marks.length === 0) return;
  const mask = document.createElementNS('http://www.w3.org/2000/svg', 'mask');
  mask.id = 'holes';
  mask.setAttribute('maskUnits', 'userSpaceOnUse');
  mask.innerHTML = '<rect width="32" height="32" fill="#fff"/>';
  for (const one of marks) mask.append(one);
  svg.style.setProperty('--mark', '#000');
  badgeGroup.before(mask);
  shape.setAttribute('mask', 'url(#holes)');
}

async function draw(
  page: Page,
  drawing: string,
  look: TrayLook,
  file: (typeof files)[number],
): Promise<Buffer> {
  const { pixels, tone } = file;
  const { way, wayOff, mark, badge } = colours[tone];
  await page.setViewportSize({ width: pixels, height: pixels });
  await page.setContent(`<style>body{margin:0}svg{display:block;width:${pixels}px}</style>${drawing}`);
  await page.evaluate(dress, {
    look,
    others: trayLooks.filter((other) => other !== look),
    way: look === 'off' ? wayOff : way,
    mark,
    badge: badge(look),
  });
  return await page.screenshot({ omitBackground: true });
}

const browser = await chromium.launch({ executablePath: headlessExecutable, args: quietArguments() });
try {
  const page = await browser.newPage();
  const drawing = await readFile(path.join(folder, 'tray.svg'), 'utf8');
  for (const look of trayLooks) {
    for (const file of files) {
      await writeFile(path.join(folder, `${look}-${file.suffix}.png`), await draw(page, drawing, look, file));
    }
  }
} finally {
  await browser.close();
}

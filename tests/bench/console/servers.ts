import { chromium, type Browser, type CDPSession, type Page } from 'playwright';
import { chromiumExecutable, quietArguments } from '../../stand-in/chromium.ts';
import { builtRenderer } from '../../e2e/support/host/paths.ts';
import { serveConsole } from '../../e2e/support/service/serve-console.ts';
import { actAsDesktop } from './desktop-page.ts';
import { manyServers } from './many-servers.ts';
import { row, type Row } from '../row.ts';

const parts = ['open', 'search', 'scroll'] as const;
type Part = (typeof parts)[number];

/** Of each part, and the worst of all. */
export const serversRows: readonly string[] = ['servers-500', ...parts.map((part) => `servers-500-${part}`)];

const count = 500;
const rounds = 5;
/** Milliseconds for which people hold a button down. */
const press = 80;
/** So much slower than this machine's is the processor that the page gets. */
const slowdown = 4;
/** Milliseconds from one frame to the next that people see as a jerk. */
const wantedFrame = 50;

/**
 * The longest frame of the chooser of servers, in ms, with 500 of them in 32 countries: as it opens, while somebody
 * types what they look for, and while they scroll from one end to the other. Each time in a page that has never opened
 * it.
 */
export async function* measureServers(): AsyncGenerator<Row> {
  await using served = await serveConsole(builtRenderer);
  const browser = await chromium.launch({ executablePath: chromiumExecutable, args: quietArguments() });
  try {
    // The first visit warms the server and the browser up.
    await visit(browser, served.url);
    const visits: Record<Part, number>[] = [];
    for (let round = 0; round < rounds; round += 1) visits.push(await visit(browser, served.url));
    const frames = (ours: number[]) => ({ ours, peer: [wantedFrame] });
    const kind = { unit: 'ms', better: 'lower' } as const;
    yield row('servers-500', frames(visits.map((one) => Math.max(...Object.values(one)))), kind);
    for (const part of parts) yield row(`servers-500-${part}`, frames(visits.map((one) => one[part])), kind);
  } finally {
    await browser.close();
  }
}

async function visit(browser: Browser, url: string): Promise<Record<Part, number>> {
  const context = await browser.newContext({ locale: 'en-US', viewport: { width: 960, height: 720 } });
  try {
    const page = await context.newPage();
    await actAsDesktop(page, {
      groups: [manyServers(count)],
      favourites: ['server-22', 'server-19'],
      recents: ['server-8', 'server-30', 'server-13'],
      chosen: 'server-22',
    });
    await page.goto(`${url}/vpn`, { waitUntil: 'networkidle' });
    const button = page.locator('button[aria-haspopup="dialog"]');
    await button.waitFor();
    const devtools = await context.newCDPSession(page);
    const options = page.getByRole('row');
    const search = page.getByRole('combobox');
    return {
      open: await longestFrame(page, devtools, async () => {
        await button.click({ delay: press });
        await options.first().waitFor();
      }),
      search: await longestFrame(page, devtools, async () => {
        await search.pressSequentially('sao paulo 1');
        await options.filter({ hasText: 'São Paulo 12' }).waitFor();
        for (let key = 0; key < 11; key += 1) await search.press('Backspace');
        await options.filter({ hasText: 'Fastest' }).waitFor();
      }),
      scroll: await longestFrame(page, devtools, async () => {
        const list = page.getByRole('grid');
        await list.hover();
        for (let turn = 0; turn < 60; turn += 1) await page.mouse.wheel(0, 600);
        await options.filter({ hasText: 'New York 15' }).waitFor();
      }),
    };
  } finally {
    await context.close();
  }
}

/** Milliseconds of the longest frame that the page draws, on a slow processor, through `during` and just after. */
async function longestFrame(page: Page, devtools: CDPSession, during: () => Promise<void>): Promise<number> {
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: slowdown });
  const frames = await page.evaluateHandle(() => {
    const watched = { longest: 0, isOver: false };
    let last: number | undefined;
    const draw = (now: number) => {
      if (last !== undefined) watched.longest = Math.max(watched.longest, now - last);
      last = now;
      if (!watched.isOver) requestAnimationFrame(draw);
    };
    requestAnimationFrame(draw);
    return watched;
  });
  await during();
  const longest = await frames.evaluate(async (watched) => {
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    watched.isOver = true;
    return watched.longest;
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  return longest;
}

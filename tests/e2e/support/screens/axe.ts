import axe, { type RunOptions } from 'axe-core';
import { expect, type Page } from 'playwright/test';

interface Rules {
  /** Those that cannot hold there. */
  without?: readonly string[];
  /** Only these, where nothing else can differ from what was looked at before. */
  only?: readonly string[];
}

/** What axe finds in the page, without its frames: those of the connectivity probe are not ours. */
export async function expectNoViolations(
  page: Page,
  where: string,
  { without = [], only }: Rules = {},
): Promise<void> {
  // Half a megabyte of script: once for a document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const options: RunOptions = {
    iframes: false,
    // Every rule that is wanted runs; only what passes is not described node by node.
    resultTypes: ['violations'],
    rules: Object.fromEntries(without.map((id) => [id, { enabled: false }])),
    ...(only && { runOnly: [...only] }),
  };
  const violations = await page.evaluate(async (runOptions) => {
    const { axe: here } = window as unknown as { axe: typeof axe };
    // axe does not know the top layer (HTML, 6.7): what is behind a modal dialog would hide its texts' contrast.
    const modal = document.querySelector<HTMLElement>('dialog:modal');
    modal?.style.setProperty('z-index', '1000');
    const results = await here.run(document, runOptions);
    modal?.style.removeProperty('z-index');
    if (results.passes.length === 0) throw new Error('axe found nothing to look at');
    return results.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
  }, options);
  expect(violations, where).toEqual([]);
}

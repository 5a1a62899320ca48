import axe from 'axe-core';
import { expect, type Page } from 'playwright/test';

/**
 * What axe finds in the page, without its frames: those of the connectivity probe are not ours. `without`: rules
 * that cannot hold there.
 */
export async function expectNoViolations(
  page: Page,
  where: string,
  without: readonly string[] = [],
): Promise<void> {
  // Half a megabyte of script: once for a document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(async (rulesOff) => {
    const { axe: here } = window as unknown as { axe: typeof axe };
    // Every rule runs; only what passes is not described node by node.
    const results = await here.run(document, {
      iframes: false,
      resultTypes: ['violations'],
      rules: Object.fromEntries(rulesOff.map((id) => [id, { enabled: false }])),
    });
    if (results.passes.length === 0) throw new Error('axe found nothing to look at');
    return results.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
    );
  }, without);
  expect(violations, where).toEqual([]);
}

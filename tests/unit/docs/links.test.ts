import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, linksOf, pages, readPage, root } from './markdown.ts';

const isOutside = (link: string) => /^[a-z]+:/i.test(link);

/** The file in the repository that a link of `page` leads to. */
function fileOf(page: string, link: string): string {
  const [target = ''] = link.split('#');
  return target === '' ? page : path.posix.join(path.posix.dirname(page), decodeURI(target));
}

/** Links of `page`, whose text this is, that lead nowhere in the repository. */
function brokenLinks(page: string, text: string): string[] {
  return linksOf(text).filter((link) => {
    if (isOutside(link)) return false;
    const [, anchor] = link.split('#');
    const file = fileOf(page, link);
    if (!existsSync(path.join(root, file))) return true;
    if (anchor === undefined) return false;
    return !anchorsOf(file === page ? text : readFileSync(path.join(root, file), 'utf8')).includes(anchor);
  });
}

const testFiles = globSync('tests/**/*.{test,spec}.ts', { cwd: root }).map((file) => `/${file}`);
/** Named by their whole paths, or by the ends of these. */
const unknownTests = (text: string) =>
  [...text.matchAll(/[\w/-]+(?:\.all)?\.(?:test|spec)\.ts\b/g)]
    .map(([name]) => name)
    .filter((name) => !testFiles.some((file) => file.endsWith(`/${name}`)));

test('links of the documentation lead to files and headings that there are', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/user.md', 'docs/webview.md']));
  expect(pages.flatMap((page) => brokenLinks(page, readPage(page)).map((link) => [page, link]))).toEqual([]);
});

test('the README leads to every page, directly or by another one', () => {
  const reached = new Set(['README.md']);
  // A set is walked in order, what is added on the way included.
  for (const page of reached)
    for (const link of linksOf(readPage(page)))
      if (!isOutside(link) && fileOf(page, link).endsWith('.md')) reached.add(fileOf(page, link));
  expect(pages.filter((page) => !reached.has(page))).toEqual([]);
});

test('the tests that the documentation names are there', () => {
  expect(pages.flatMap((page) => unknownTests(readPage(page)).map((name) => [page, name]))).toEqual([]);
});

test('a link that leads nowhere is found', () => {
  const text = [
    '# A page’s `first` words',
    '[here](#a-pages-first-words) [no](#elsewhere) [there](docs/promises.md#per-state) ![no](docs/none.png)',
    '[no](docs/promises.md#none) [web](https://example.com/#x) `[code](none)`',
    '```\n[fence](none)\n# Elsewhere\n```',
    'shown by `leaks.test.ts`, `docs/links.test.ts`, `none.test.ts` and `tests/none/leaks.test.ts`',
  ].join('\n');
  expect(brokenLinks('README.md', text)).toEqual(['#elsewhere', 'docs/none.png', 'docs/promises.md#none']);
  expect(unknownTests(text)).toEqual(['none.test.ts', 'tests/none/leaks.test.ts']);
});

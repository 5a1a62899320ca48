import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readPage, root } from './markdown.ts';

const theme = readFileSync(path.join(root, 'src/renderer/ui/theme/theme.css'), 'utf8');
const design = readPage('docs/design.md');

test('the tokens that the design names are the theme’s, and none that it has is missing but those of fonts', () => {
  const named = new Set(design.match(/--wm-[\w-]+/g));
  const [light = ''] = theme.split(':root:lang(zh)');
  const declared = [...light.matchAll(/^ {2}(--wm-[\w-]+):/gm)].map(([, token = '']) => token);
  expect(declared).toContain('--wm-accent');
  expect([...named].filter((token) => !declared.includes(token))).toEqual([]);
  const missing = declared.filter((token) => !named.has(token) && !token.startsWith('--wm-font'));
  expect(missing).toEqual([]);
});

test('the sizes of type are those of the theme', () => {
  const sizes = [...design.matchAll(/`(--wm-type-\w+)`\s*\|\s*([\d.]+rem)/g)];
  expect(sizes).toHaveLength(6);
  for (const [, token, size] of sizes) expect(theme).toContain(`${token}: ${size};`);
});

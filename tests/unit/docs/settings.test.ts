import path from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { settings } from '../../../src/service/settings.ts';
import { readPage, root, tableRows } from './markdown.ts';

/** Name and default of each setting, as operators read them. */
const documented = new Map(
  tableRows(readPage('docs/operator.md'))
    .filter(([name = '']) => /^`[A-Z_]+`$/.test(name))
    .map(([name = '', , written]) => [name.replaceAll('`', ''), written]),
);

/** A default as somebody would write it; undefined where there is none, or it depends on other settings. */
function defaultOf(setting: z.ZodType): string | undefined {
  const value = setting.parse(undefined);
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.join(' ');
  const text = z.coerce.string().parse(value);
  return path.isAbsolute(text) ? path.relative(root, text) : text;
}

test('operators read of every setting of the service, and of no other', () => {
  expect(new Set(documented.keys())).toEqual(new Set(Object.keys(settings)));
});

const defaults = Object.entries(settings).flatMap(([name, setting]) => {
  const value = defaultOf(setting);
  return value === undefined ? [] : [[name, value] as const];
});

test.each(defaults)('the default of %s is %s', (name, value) => {
  expect(documented.get(name)).toBe(`\`${value}\``);
});

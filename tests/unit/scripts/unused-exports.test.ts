import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
const product = ['src', 'helper', 'packaging', 'scripts'];
const sources = [...product, 'tests'].map((folder) => `${folder}/**/*.{ts,tsx,js}`);

const aliases: readonly [string, string][] = [
  ['#shared/', 'src/shared/'],
  ['#node/', 'src/node/'],
];

function targetOf(specifier: string, file: string): string {
  for (const [alias, folder] of aliases)
    if (specifier.startsWith(alias)) return specifier.replace(alias, folder);
  return path.posix.join(path.posix.dirname(file), specifier);
}

/** What a file takes from others of the repository, as `file#name`, or `file#*` for all of it. */
function takenBy(file: string, text: string): string[] {
  const named = [...text.matchAll(/^(?:import|export)\s([^'";=]*?)\sfrom\s*'([.#][^']+)'/gm)].flatMap(
    ([, clause = '', specifier = '']) => {
      const list = /\{([^}]*)\}/.exec(clause)?.[1]?.split(',') ?? ['*'];
      const names = list.map((one) =>
        one
          .trim()
          .replace(/^type /, '')
          .replace(/ as .*/, ''),
      );
      return names.map((name) => `${targetOf(specifier, file)}#${name}`);
    },
  );
  const whole = [...text.matchAll(/\bimport\('([.#][^']+)'\)/g)].map(
    ([, specifier = '']) => `${targetOf(specifier, file)}#*`,
  );
  return [...named, ...whole];
}

/**
 * Functions, classes and constants that a file exports and no other imports. A schema may be exported beside its type.
 */
function unusedExports(files: ReadonlyMap<string, string>, within: readonly string[]): string[] {
  const taken = new Set([...files].flatMap(([file, text]) => takenBy(file, text)));
  return [...files].flatMap(([file, text]) => {
    if (!within.some((folder) => file.startsWith(`${folder}/`)) || taken.has(`${file}#*`)) return [];
    const exported = [...text.matchAll(/^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm)];
    return exported
      .map(([, name = '']) => name)
      .filter((name) => !taken.has(`${file}#${name}`))
      .filter((name) => !new RegExp(String.raw`^export type .*\btypeof ${name}\b`, 'm').test(text))
      .map((name) => `${file}: ${name}`);
  });
}

test('every function, class and constant that the product exports is imported somewhere', () => {
  const names = globSync([...sources, '*.config.ts'], { cwd: root });
  const files = new Map(
    names.map((name) => [name.split(path.sep).join('/'), readFileSync(path.join(root, name), 'utf8')]),
  );
  expect(files.size).toBeGreaterThan(1000);
  expect(unusedExports(files, product)).toEqual([]);
});

test('what only its own file uses, or nothing, is found', () => {
  const files = new Map([
    [
      'src/shared/price.ts',
      `export const price = 1;
export const tax = 2;
export const order = z.object({});
export type Order = z.infer<typeof order>;
export async function pay() {}
const kept = tax;`,
    ],
    ['src/main/shop.ts', "import {\n  type Order,\n  price as cost,\n} from '#shared/price.ts';"],
    ['src/main/tray.ts', 'export function showTray() {}\nexport class Tray {}'],
    ['src/main/start.ts', "const { showTray } = await import('./tray.ts');"],
    ['src/main/all.ts', 'export const one = 1;'],
    ['tests/all.test.ts', "import * as all from '../src/main/all.ts';\nexport const two = 2;"],
  ]);
  expect(unusedExports(files, ['src'])).toEqual(['src/shared/price.ts: tax', 'src/shared/price.ts: pay']);
});

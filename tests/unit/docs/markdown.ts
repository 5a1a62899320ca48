import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '../../..');

/** Every page of ours, by its path in the repository. */
export const pages = globSync('**/*.md', {
  cwd: root,
  exclude: ['node_modules', 'out', 'dist', 'test-results', '.waymaker'],
}).sort();

export const readPage = (page: string): string => readFileSync(path.join(root, page), 'utf8');

/** Fenced blocks are examples: what looks like a link or a heading in them is none. */
const withoutFences = (text: string) => text.replaceAll(/^ *(```+)[^\n]*\n[^]*?^ *\1 *$/gm, '');

const withoutCode = (text: string) => text.replaceAll(/`[^`\n]*`/g, '');

/** Targets of links and pictures, as they are written. */
export function linksOf(text: string): string[] {
  return [...withoutCode(withoutFences(text)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** The anchors of its headings, as GitHub makes them. */
export function anchorsOf(text: string): string[] {
  const seen = new Map<string, number>();
  return [...withoutFences(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)].map(([, heading = '']) => {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  });
}

/** The cells of every row of its tables, heads included. */
export function tableRows(text: string): string[][] {
  return withoutFences(text)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** The text of each section, from one heading to the next. */
export const sectionsOf = (text: string): string[] => withoutFences(text).split(/^#{1,6} .*$/m);

import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { dataDirectories } from './data-directories.ts';
import { readGroups } from './desktop-entry.ts';
import { readIcon } from '../icon-image.ts';
import type { FindIcon, Surroundings } from '../installed-program.ts';
import { readBounded } from '../read-bounded.ts';

/**
 * Applications put their icons into hicolor (Icon Theme Specification); those of a desktop itself are in its own theme.
 */
const themes = ['hicolor', 'Adwaita', 'breeze', 'Yaru', 'Papirus', 'gnome'] as const;
/** In pixels: twice the displayed size, for high-density displays. */
const wanted = 64;
/** For all icons of a list together. */
const maxTotalBytes = 6 * 1024 * 1024;

/** One search for icons. It caches the themes, and limits the total size of what it returns. */
export function createIconFinder({ env, home }: Pick<Surroundings, 'env' | 'home'>): FindIcon {
  const data = dataDirectories(env, home);
  const bases = [path.join(home, '.icons'), ...data.map((directory) => path.join(directory, 'icons'))];
  const indexes = new Map<string, Promise<ReadonlyMap<string, string[]>>>();
  let left = maxTotalBytes;

  function index(theme: string): Promise<ReadonlyMap<string, string[]>> {
    const known = indexes.get(theme) ?? indexTheme(bases, theme);
    indexes.set(theme, known);
    return known;
  }

  async function filesOf(name: string): Promise<string[]> {
    const files: string[] = [];
    for (const theme of themes) {
      files.push(...((await index(theme)).get(name) ?? []));
      if (files.length > 0) return files;
    }
    const loose = [...data.map((directory) => path.join(directory, 'pixmaps')), ...bases];
    return loose.flatMap((directory) =>
      [`${name}.png`, `${name}.svg`].map((file) => path.join(directory, file)),
    );
  }

  return async (icon) => {
    if (icon === undefined) return '';
    // Names with a file extension are common, although the specification does not allow them.
    const name = icon.replace(/\.(?:png|svg|xpm)$/, '');
    const files = path.isAbsolute(icon) ? [icon] : name.includes('/') ? [] : await filesOf(name);
    for (const file of files) {
      const url = await readIcon(file);
      if (url === undefined || url.length > left) continue;
      left -= url.length;
      return url;
    }
    return '';
  };
}

/** The files for each name in a theme, best first. */
async function indexTheme(all: readonly string[], theme: string): Promise<ReadonlyMap<string, string[]>> {
  const bases: string[] = [];
  for (const base of all) {
    if (await stat(path.join(base, theme)).catch(() => undefined)) bases.push(base);
  }
  const sizes = await readSizes(bases, theme);
  const files = new Map<string, string[]>();
  for (const directory of [...sizes.keys()].sort(
    (one, other) => (sizes.get(one) ?? 0) - (sizes.get(other) ?? 0),
  )) {
    for (const base of bases) {
      const folder = path.join(base, theme, directory);
      for (const entry of await readdir(folder).catch(() => [])) {
        const [, name] = /^(.+)\.(?:png|svg)$/.exec(entry) ?? [];
        if (name !== undefined) files.set(name, [...(files.get(name) ?? []), path.join(folder, entry)]);
      }
    }
  }
  return files;
}

/** How much each of a theme's folders differs from the wanted size. */
async function readSizes(bases: readonly string[], theme: string): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for (const base of bases) {
    const text = (await readBounded(path.join(base, theme, 'index.theme'), 256 * 1024))?.toString('utf8');
    const groups = readGroups(text ?? '');
    const directories = groups.get('Icon Theme')?.get('Directories');
    if (directories === undefined) continue;
    for (const directory of directories.split(',').slice(0, 500)) {
      const group = groups.get(directory);
      // Ignore paths that lead out of the theme.
      if (!group || path.isAbsolute(directory) || directory.split('/').includes('..')) continue;
      sizes.set(directory, distance(group));
    }
    return sizes;
  }
  return sizes;
}

/** Smaller icons would be blurred, so they come last; scalable icons come after bitmaps of about the right size. */
function distance(group: ReadonlyMap<string, string>): number {
  const size = Number(group.get('Size')) * Number(group.get('Scale') ?? 1);
  if (group.get('Type') === 'Scalable') return wanted;
  return size >= wanted ? size - wanted : 8 * (wanted - size);
}

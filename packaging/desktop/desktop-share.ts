import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { compressed } from '../linux/core-tree.ts';
import { lay, write } from '../linux/tree-files.ts';
import { desktopId } from './app-folder.ts';
import { iconFile, iconSizes, markFile } from './icons.ts';

const root = path.resolve(import.meta.dirname, '../..');
const resources = path.join(root, 'resources/linux');
export const menuEntry = path.join(resources, desktopId);

/** What software centres show, for a version that was made at that time, in seconds since 1970. */
const metainfoName = 'example.waymaker.Waymaker.metainfo.xml';
export async function metainfo(version: string, time: number): Promise<string> {
  const text = await readFile(path.join(resources, metainfoName), 'utf8');
  const date = new Date(time * 1000).toISOString().slice(0, 10);
  return text.replace('@version@', version).replace('@date@', date);
}

/** Lays what makes a desktop know the app: menu entry, icons, description, licences. */
export async function layShare(
  tree: string,
  options: { name: string; version: string; time: number; licences: string },
): Promise<void> {
  const { name, version, time, licences } = options;
  const share = path.join(tree, 'usr/share');
  await lay(menuEntry, path.join(share, 'applications', desktopId));
  const icons = path.join(share, 'icons/hicolor');
  for (const pixels of iconSizes)
    await lay(iconFile(pixels), path.join(icons, `${pixels}x${pixels}/apps/waymaker.png`));
  await lay(markFile, path.join(icons, 'scalable/apps/waymaker.svg'));
  await write(path.join(share, 'metainfo', metainfoName), await metainfo(version, time));
  const documents = path.join(share, 'doc', name);
  const licence = await readFile(path.join(root, 'LICENSE'), 'utf8');
  const notices = await readFile(path.join(root, 'THIRD-PARTY-NOTICES'), 'utf8');
  await write(path.join(documents, 'copyright'), `${licence.trim()}\n\n${licences}\n`);
  await write(path.join(documents, 'THIRD-PARTY-NOTICES.gz'), compressed(notices));
  const changes = await readFile(path.join(root, 'CHANGELOG.md'), 'utf8');
  await write(path.join(documents, 'changelog.gz'), compressed(changes));
}

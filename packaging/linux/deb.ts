import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { product, type PackageFacts, type PackageOptions } from './package-facts.ts';
import { entriesOf, hashOf, settle } from './tree-files.ts';

/** The most characters of a line in a package's description. */
const maxLine = 79;

/**
 * Makes a Debian package of what is in `tree`, which it changes, and resolves with its path. The same tree and time
 * give the same bytes with the same version of dpkg.
 */
export async function makeDeb(options: PackageOptions): Promise<string> {
  const { tree, facts, architecture, folder, time, compression } = options;
  const about = path.join(tree, 'DEBIAN');
  await rm(about, { recursive: true, force: true });
  const entries = await entriesOf(tree);
  let bytes = 0;
  const sums: string[] = [];
  for (const { file, entry } of entries) {
    // As dpkg-gencontrol(1) counts: what is no file takes 1 KiB.
    bytes += entry.isFile() ? Math.ceil((await stat(path.join(tree, file))).size / 1024) : 1;
    if (entry.isFile()) sums.push(`${await hashOf(path.join(tree, file), 'md5')}  ${file}\n`);
  }
  await mkdir(about);
  const write = (name: string, text: string, mode = 0o644) =>
    writeFile(path.join(about, name), text, { mode });
  await write('control', control(facts, architecture, bytes));
  await write('md5sums', sums.join(''));
  const { configurationFiles = [], scripts } = facts;
  if (configurationFiles.length > 0) await write('conffiles', `${configurationFiles.join('\n')}\n`);
  for (const [name, text] of Object.entries(scripts?.debian ?? {})) await write(name, text, 0o755);
  await settle(tree, time);
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${facts.name}_${facts.version ?? product.version}_${architecture}.deb`);
  const words = ['--root-owner-group', '-Zzstd', `-z${compression === 'small' ? 19 : 1}`];
  await promisify(execFile)('dpkg-deb', [...words, '--threads-max=2', '--build', tree, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(time), TZ: 'UTC', LC_ALL: 'C.UTF-8' },
  });
  await rm(about, { recursive: true });
  return file;
}

/** The fields of deb-control(5). */
function control(facts: PackageFacts, architecture: string, kibibytes: number): string {
  const fields = {
    Package: facts.name,
    Version: facts.version ?? product.version,
    Architecture: architecture,
    Maintainer: product.maintainer,
    'Installed-Size': String(kibibytes),
    'Pre-Depends': facts.preDepends?.debian.join(', '),
    Depends: facts.depends.debian.join(', '),
    Recommends: facts.recommends?.debian.join(', '),
    Conflicts: facts.conflicts?.join(', '),
    Section: 'net',
    Priority: 'optional',
    Description: facts.summary,
  };
  const lines = Object.entries(fields).flatMap(([name, text]) => (text ? [`${name}: ${text}`] : []));
  const paragraphs = facts.description.map((text) => wrapped(text).map((line) => ` ${line}`));
  const description = paragraphs.flatMap((paragraph, index) => [...(index > 0 ? [' .'] : []), ...paragraph]);
  return `${[...lines, ...description].join('\n')}\n`;
}

/** A text in lines. */
export function wrapped(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    if (last === '') lines[lines.length - 1] = word;
    else if (last.length + 1 + word.length < maxLine) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { cutText } from '#shared/cut-text.ts';
import { maxProgramIdLength, maxRoutedPrograms } from '#shared/host/routed-programs.ts';
import { dataDirectories } from './data-directories.ts';
import { desktopNames } from '../../linux/desktop-names.ts';
import { isForDesktop, parseDesktopEntry, type DesktopEntry } from './desktop-entry.ts';
import { parseExec } from './exec-line.ts';
import { beginsAsScript, findProgram, realFile } from './program-file.ts';
import type { InstalledProgram, Surroundings } from '../installed-program.ts';
import { readBounded } from '../read-bounded.ts';

const maxEntryBytes = 256 * 1024;
const maxEntries = 4000;
const maxDepth = 4;
const maxNameLength = 100;

/** All programs that a menu of this desktop would show, sorted by name. */
export async function findInstalledPrograms(surroundings: Surroundings): Promise<InstalledProgram[]> {
  const files = await entryFiles(dataDirectories(surroundings.env, surroundings.home));
  const programs: InstalledProgram[] = [];
  for (const [id, file] of files) {
    const program = await readProgram(id, file, surroundings);
    if (program) programs.push(program);
  }
  const tag = surroundings.locales[0]?.replace('_', '-');
  const { compare } = new Intl.Collator(tag, { sensitivity: 'base' });
  return programs.sort((one, other) => compare(one.name, other.name)).slice(0, maxRoutedPrograms);
}

/**
 * The files of all entries by id: the first file with an id hides the others, even if it is itself marked as hidden.
 */
async function entryFiles(directories: readonly string[]): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const directory of directories) {
    await addFiles(path.join(directory, 'applications'), '', 0, files);
  }
  return files;
}

async function addFiles(
  directory: string,
  prefix: string,
  depth: number,
  files: Map<string, string>,
): Promise<void> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  // In a stable order.
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    if (files.size >= maxEntries) return;
    const file = path.join(directory, entry.name);
    // Do not follow links to folders, which could be circular; Flatpak's entries are links to files.
    if (entry.isDirectory() && depth < maxDepth)
      await addFiles(file, `${prefix}${entry.name}-`, depth + 1, files);
    const id = `${prefix}${entry.name}`;
    if (
      !entry.isDirectory() &&
      id.endsWith('.desktop') &&
      id.length <= maxProgramIdLength &&
      !files.has(id)
    ) {
      files.set(id, file);
    }
  }
}

async function readProgram(
  id: string,
  file: string,
  surroundings: Surroundings,
): Promise<InstalledProgram | undefined> {
  const { env, locales } = surroundings;
  const bytes = await readBounded(file, maxEntryBytes);
  const entry = bytes && parseDesktopEntry(bytes.toString('utf8'));
  if (!entry || entry.text('Type') !== 'Application' || !isShown(entry, env)) return undefined;
  const tried = entry.text('TryExec');
  if (tried && !(await findProgram(tried, env['PATH']))) return undefined;
  const name = oneLine(entry.localised('Name', locales) ?? '');
  const icon = entry.text('Icon') || undefined;
  const command = parseExec(entry.text('Exec') ?? '', { name, icon, file });
  if (name === '' || !command) return undefined;
  const executable = await executableOf(command, env['PATH']);
  const sandbox = sandboxOf(entry, withoutEnv(command)[0] ?? '');
  // If the executable does not exist, the program is no longer installed; a sandboxed one's is inside the sandbox.
  if (!executable && !sandbox) return undefined;
  const directory = entry.text('Path') || undefined;
  const isScript = executable !== undefined && (await beginsAsScript(executable));
  return {
    id,
    name,
    icon,
    command,
    executable,
    isScript,
    directory,
    needsTerminal: entry.is('Terminal'),
    sandbox,
  };
}

function isShown(entry: DesktopEntry, env: Readonly<NodeJS.ProcessEnv>): boolean {
  return !entry.is('Hidden') && !entry.is('NoDisplay') && isForDesktop(entry, desktopNames(env));
}

/** The command without a leading `env` and its variables. */
export function withoutEnv(command: readonly string[]): string[] {
  if (path.basename(command[0] ?? '') !== 'env') return [...command];
  let at = 1;
  while (/^(?:-\S*|[A-Za-z_]\w*=.*)$/s.test(command[at] ?? '')) at += command[at] === '-u' ? 2 : 1;
  return command.slice(at);
}

async function executableOf(
  command: readonly string[],
  searchPath: string | undefined,
): Promise<string | undefined> {
  const [name] = withoutEnv(command);
  const found = name === undefined ? undefined : await findProgram(name, searchPath);
  return found === undefined ? undefined : await realFile(found);
}

function sandboxOf(entry: DesktopEntry, started: string): InstalledProgram['sandbox'] {
  const flatpak = entry.text('X-Flatpak');
  if (flatpak) return { kind: 'flatpak', name: flatpak };
  const snap = entry.text('X-SnapInstanceName');
  if (snap) return { kind: 'snap', name: snap };
  // Entries of older snaps do not say this.
  const [, name] = /^\/snap\/bin\/([^/.]+)/.exec(started) ?? [];
  return name === undefined ? undefined : { kind: 'snap', name };
}

/** A name can contain anything. */
function oneLine(name: string): string {
  return cutText(name.replaceAll(/[\s\p{C}]+/gu, ' ').trim(), maxNameLength);
}

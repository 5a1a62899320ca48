import { readFile, writeFile } from 'node:fs/promises';
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit';
import { product } from '../linux/package-facts.ts';
import type { ArchiveHash } from './archive-hashes.ts';

/** What Explorer, the task manager and Windows' own questions show of a program, and what it compares its app with. */
export interface ProgramDetails {
  /** The file's name. */
  program: string;
  /** `1.2.3`. */
  version: string;
  /** An icon file, as `windowsIcon` makes it. */
  icon: Buffer;
  /** Of every archive that the program may open. */
  archives: readonly ArchiveHash[];
}

/** American English, which Windows takes for every language that a program has not, and Unicode. */
const language = { lang: 0x0409, codepage: 1200 };

/**
 * Gives Electron's program for Windows our icon, name and version in the place of Electron's, and the hashes of its
 * archives; leaves the rest of it, its fuses and its manifest among it, as it is. The same program and details give the
 * same bytes. Throws if the file is no program, or is signed: it would not be any more.
 */
export async function describeProgram(file: string, details: ProgramDetails): Promise<void> {
  const program = NtExecutable.from(await readFile(file));
  const resources = NtExecutableResource.from(program);
  replaceIcon(resources, details.icon);
  replaceVersion(resources, details);
  replaceHashes(resources, details.archives);
  resources.outputResource(program);
  await writeFile(file, Buffer.from(program.generate()));
}

/** Explorer shows the first group of pictures; in Electron's program, that is the only one. */
function replaceIcon({ entries }: NtExecutableResource, icon: Buffer): void {
  const groups = Resource.IconGroupEntry.fromEntries(entries);
  const { id, lang } = groups[0] ?? { id: 1, lang: language.lang };
  const pictures = Data.IconFile.from(icon).icons.map(({ data }) => data);
  Resource.IconGroupEntry.replaceIconsForResource(entries, id, lang, pictures);
}

function replaceVersion(resources: NtExecutableResource, { program, version }: ProgramDetails): void {
  const [electrons] = Resource.VersionInfo.fromEntries(resources.entries);
  // Whatever Electron says of itself, in any language.
  resources.entries = resources.entries.filter(({ type }) => type !== versionType);
  // Apart from what kind of file it is.
  const info = Resource.VersionInfo.create(language.lang, electrons?.fixedInfo ?? {}, []);
  info.setFileVersion(version, language.lang);
  info.setProductVersion(version, language.lang);
  info.setStringValues(language, {
    CompanyName: 'Waymaker',
    // The task manager and the list of apps that start at login call it so.
    FileDescription: 'Waymaker',
    FileVersion: version,
    InternalName: 'Waymaker',
    LegalCopyright: `${product.licence} licence`,
    OriginalFilename: program,
    ProductName: 'Waymaker',
    ProductVersion: version,
  });
  info.outputToResourceEntries(resources.entries);
}

/** RT_VERSION. */
const versionType = 16;

/** Where Electron looks: https://www.electronjs.org/docs/latest/tutorial/asar-integrity */
function replaceHashes(resources: NtExecutableResource, archives: readonly ArchiveHash[]): void {
  // Of their own size: of a buffer out of Node's pool, all of the pool would be written.
  const bin = Uint8Array.from(Buffer.from(JSON.stringify(archives))).buffer;
  resources.entries = resources.entries.filter(({ type }) => type !== hashesType);
  resources.entries.push({ type: hashesType, id: 'ELECTRONASAR', ...language, bin });
}

/** In capitals, as Windows writes any name that a program asks for before it compares it with these. */
const hashesType = 'INTEGRITY';

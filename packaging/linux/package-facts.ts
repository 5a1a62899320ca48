import packageJson from '../../package.json' with { type: 'json' };

/** What every package of the product says of itself. */
export const product = {
  version: packageJson.version,
  licence: packageJson.license,
  maintainer: 'Waymaker maintainers <waymaker@localhost>',
} as const;

/** A package, whatever its format. */
export interface PackageFacts {
  name: string;
  /** Where it is not the product's. */
  version?: string;
  /** One line. */
  summary: string;
  /** Paragraphs of running text. */
  description: readonly string[];
  /** What it needs, in the notation of each format. */
  depends: { debian: readonly string[]; rpm: readonly string[] };
  /** What has to be there before anything of it is unpacked. */
  preDepends?: { debian: readonly string[] };
  /** Packages that cannot be installed beside it. */
  conflicts?: readonly string[];
  recommends?: { debian: readonly string[]; rpm: readonly string[] };
  /** Files that administrators may change: absolute paths. */
  configurationFiles?: readonly string[];
  /** What runs while it is installed and removed. */
  scripts?: { debian: DebianScripts; rpm: RpmScripts };
}

/** In the name of an installer that is for tests only, and has no description. */
export const forTestsSuffix = '-for-tests';

/** How the description of a package begins that nobody may publish. */
export const forTestsOnly = 'For tests only:';

/** Marks a package whose programs trust the tests' key, for whoever looks at it or publishes it. */
export const marked = (facts: PackageFacts, { isTest }: { isTest: boolean }): PackageFacts =>
  isTest
    ? {
        ...facts,
        description: [`${forTestsOnly} it is signed with a key that everybody has.`, ...facts.description],
      }
    : facts;

/** Texts of shell scripts, by deb-postinst(5) and the like. */
export type DebianScripts = Readonly<Partial<Record<'preinst' | 'postinst' | 'prerm' | 'postrm', string>>>;

/** Texts of shell scripts, by the sections of a spec file. */
export type RpmScripts = Readonly<Partial<Record<'pre' | 'post' | 'preun' | 'postun' | 'posttrans', string>>>;

/** How much work goes into making a package smaller: `fast` is for what is installed once, in a test. */
export type Compression = 'small' | 'fast';

/** What a package is made of, whatever its format. */
export interface PackageOptions {
  /** The folder of its files, which may be changed. */
  tree: string;
  facts: PackageFacts;
  /** By the format's own names; `all` or `noarch` for a package without programs. */
  architecture: string;
  /** Where it goes. */
  folder: string;
  /** Of all of its files, in seconds since 1970. */
  time: number;
  compression: Compression;
}

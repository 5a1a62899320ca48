import path from 'node:path';
import react from '@vitejs/plugin-react';
import { build, type InlineConfig, type Rolldown } from 'vite';
import { z } from 'zod';

const root = path.resolve(import.meta.dirname, '../..');
export const noticesFile = path.join(root, 'THIRD-PARTY-NOTICES');

/** What the app's own files do not contain, and must be shipped beside them. */
const head = `THIRD-PARTY NOTICES

Waymaker's own licence is in the file LICENSE. The app's pages, its main process and its helper have the packages
below in them, or beside them, each under its own licence.

Besides, but not in these files:

- The engine may be openconnect, a program of its own that the helper runs. It comes from the operating system, and is
  under the GNU Lesser General Public License, version 2.1. https://www.infradead.org/openconnect/
- Electron (MIT licence), and in it Chromium and Node.js, come with notices of their own: the files LICENSE and
  LICENSES.chromium.html beside its binary.

Written by \`node scripts/third-party-notices/write.ts\`, do not edit.
`;

const programs = [
  'src/main/electron/index.ts',
  'src/main/cli/index.ts',
  'src/main/way-out/script/script-thread.ts',
  'src/preload/index.ts',
  'helper/index.ts',
  'helper/posix/start-proxy.ts',
];

/** Packages from which the pages only use files through style sheets; Vite's list leaves them out. */
const inStyleSheets = ['@fontsource-variable/inter/package.json'];

/** Builds of which only Vite's list of packages is used, including packages that are installed beside them. */
const pages: InlineConfig = {
  root: path.join(root, 'src/renderer'),
  plugins: [react()],
  build: {
    rolldownOptions: {
      input: [
        path.join(root, 'src/renderer/index.html'),
        ...inStyleSheets.map((file) => path.join(root, 'node_modules', file)),
      ],
    },
  },
};
const builds: InlineConfig[] = [
  pages,
  // All programs in one, since they share most of their files.
  {
    root,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: 'node24',
      rolldownOptions: {
        input: programs.map((program) => path.join(root, program)),
        // A native module's own binary belongs to the package that needs it.
        external: [/^electron(\/|$)/, /\.node$/, /^@koromix\/koffi-/],
      },
    },
  },
];

const listName = 'packages.json';
const packageList = z.array(
  z.object({
    name: z.string(),
    version: z.string(),
    identifier: z.string().optional(),
    text: z.string().optional(),
  }),
);
type Package = z.infer<typeof packageList>[number];

/** The packages in a build. Throws if it contains files of a package that is not in the list. */
async function packagesOf(config: InlineConfig): Promise<Package[]> {
  const result = await build({
    configFile: false,
    logLevel: 'error',
    // Packages that are only in builds with error reports.
    define: { 'import.meta.env.VITE_SENTRY_DSN': '"https://key@reports.example/1"' },
    ...config,
    build: { ...config.build, write: false, minify: false, license: { fileName: listName } },
  });
  const assets = [result]
    .flat()
    .flatMap((one) => ('output' in one ? one.output : []))
    .filter(isAsset);
  const list = assets.find(({ fileName }) => fileName === listName);
  if (!list) throw new Error('Vite wrote no list of packages');
  const packages = packageList.parse(JSON.parse(String(list.source)));
  const names = new Set(packages.map(({ name }) => name));
  for (const { originalFileNames } of assets) {
    for (const file of originalFileNames) {
      const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules\/)/.exec(file)?.[1];
      if (name !== undefined && !names.has(name))
        throw new Error(`${file} is of a package that is not listed`);
    }
  }
  return packages;
}

const isAsset = (output: Rolldown.OutputAsset | Rolldown.OutputChunk): output is Rolldown.OutputAsset =>
  output.type === 'asset';

/** The packages that the app's pages have in them. */
export const packagesOfPages = (): Promise<Package[]> => packagesOf(pages);

/** The notices for everything that the app contains, as the file should be. */
export async function thirdPartyNotices(): Promise<string> {
  const packages = new Map<string, Package>();
  const lists = await Promise.all(builds.map(packagesOf));
  for (const one of lists.flat()) packages.set(`${one.name} ${one.version}`, one);
  const sections = [...packages]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([title, { identifier, text }]) => {
      if (identifier === undefined && text === undefined) throw new Error(`${title} has no licence`);
      return [
        `${'-'.repeat(80)}\n${title}${identifier === undefined ? '' : ` (${identifier})`}\n`,
        text ?? '',
      ]
        .filter(Boolean)
        .join('\n');
    });
  return `${[head, ...sections].map((section) => section.trimEnd().replaceAll('\r\n', '\n')).join('\n\n')}\n`;
}

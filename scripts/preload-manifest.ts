import path from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import type { Language } from '../src/shared/entities.ts';
import { preloadManifestName, type PreloadManifest } from '../src/shared/preload-manifest.ts';
import { startPages, textsOfStartPages, type StartPage } from '../src/shared/start-pages.ts';
import { en } from '../src/shared/texts/en.ts';
import { enFirst } from '../src/shared/texts/first/en.ts';

/** The page's own module first, then what it loads on demand. */
const pages: Record<StartPage, readonly string[]> = {
  account: [
    'features/account/account-page.tsx',
    'ui/theme/mantine.tsx',
    'shell/other-routes.tsx',
    'platform/page-events.ts',
  ],
  login: ['features/sign-in/login-page.tsx'],
  verify: ['features/sign-in/verify-page.tsx', 'ui/theme/mantine.tsx'],
};

const textsIn = (folder: string): Record<Language, readonly string[]> => ({
  en: [`${folder}/en.ts`],
  'zh-hans': [`${folder}/zh-hans.ts`],
  'zh-hant': [`${folder}/zh-hant.ts`],
});

/**
 * Writes the preload manifest beside the built pages. Fails if a module in it is in no file, or if a page that should
 * start with the first texts uses others.
 */
export function writePreloadManifest(): Plugin {
  let root = '';
  return {
    name: 'preload-manifest',
    configResolved(config) {
      root = config.root;
    },
    generateBundle(_, bundle) {
      checkFirstTexts(root, bundle);
      const files = filesByName(pages, root, bundle);
      const manifest: PreloadManifest = {
        pages: Object.fromEntries(
          Object.entries(startPages).map(([address, page]) => [
            address,
            { files: files[page], texts: textsOfStartPages[page] },
          ]),
        ),
        texts: {
          first: filesByName(textsIn('../shared/texts/first'), root, bundle),
          all: filesByName(textsIn('../shared/texts'), root, bundle),
        },
      };
      this.emitFile({ type: 'asset', fileName: preloadManifestName, source: JSON.stringify(manifest) });
    },
  };
}

const chunksOf = (bundle: Rolldown.OutputBundle): Rolldown.OutputChunk[] =>
  Object.values(bundle).filter((output) => output.type === 'chunk');

function filesByName<Name extends string>(
  modules: Record<Name, readonly string[]>,
  root: string,
  bundle: Rolldown.OutputBundle,
): Record<Name, string[]> {
  const chunks = chunksOf(bundle);
  // What the HTML already names.
  const first = withImports(
    chunks.filter(({ isEntry }) => isEntry),
    chunks,
  );
  const chunkOf = (module: string) => {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(path.join(root, module)));
    if (!chunk) throw new Error(`${module} is in no file of the built pages`);
    return chunk;
  };
  const files = Object.entries<readonly string[]>(modules).map(([name, ofName]) => {
    const needed = [...withImports(ofName.map(chunkOf), chunks)].filter((one) => !first.has(one));
    return [name, needed.flatMap(addresses)];
  });
  return Object.fromEntries(files) as Record<Name, string[]>;
}

/** These chunks, and everything that they import statically. */
function withImports(chunks: Rolldown.OutputChunk[], all: Rolldown.OutputChunk[]): Set<Rolldown.OutputChunk> {
  const found = new Set(chunks);
  // A set is iterated in order, including elements that are added meanwhile.
  for (const { imports } of found)
    for (const chunk of all) if (imports.includes(chunk.fileName)) found.add(chunk);
  return found;
}

function addresses({ fileName, viteMetadata }: Rolldown.OutputChunk): string[] {
  return [fileName, ...(viteMetadata?.importedCss ?? [])].map((file) => `/${file}`);
}

function checkFirstTexts(root: string, bundle: Rolldown.OutputBundle): void {
  const chunks = chunksOf(bundle);
  const modules = Object.entries(pages)
    .filter(([page]) => textsOfStartPages[page as StartPage] === 'first')
    .flatMap(([, ofPage]) => ofPage.map((module) => path.join(root, module)));
  const first = chunks.filter(
    ({ isEntry, moduleIds }) => isEntry || modules.some((module) => moduleIds.includes(module)),
  );
  for (const { modules: rendered } of withImports(first, chunks)) {
    for (const [file, { code }] of Object.entries(rendered)) {
      const other = path.dirname(file).includes('shared/texts/first') ? [] : laterTextsIn(code ?? '');
      if (other.length > 0) throw new Error(`${file} says ${other.join()}, not of src/shared/texts/first`);
    }
  }
}

/** Keys of texts in the code, completely or with a variable end, that are not among the first texts. */
function laterTextsIn(code: string): string[] {
  const literals = [...code.matchAll(/(["'`])(\w+\.[\w.]+)\1/g)].map(([, , literal = '']) => literal);
  const starts = [...code.matchAll(/`(\w+\.[\w.]*)\$\{/g)].map(([, start = '']) => start);
  return Object.keys(en).filter(
    (key) =>
      !Object.hasOwn(enFirst, key) &&
      (literals.includes(key) || starts.some((start) => key.startsWith(start))),
  );
}

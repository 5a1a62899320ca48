import path from 'node:path';
import type { Plugin, Rolldown } from 'vite';
import type { Language } from '../src/shared/entities.ts';
import { preloadManifestName, type PreloadManifest } from '../src/shared/preload-manifest.ts';
import { startPages, type StartPage } from '../src/shared/start-pages.ts';

const pages: Record<StartPage, string> = {
  account: 'features/account/account-page.tsx',
  login: 'features/sign-in/login-page.tsx',
  verify: 'features/sign-in/verify-page.tsx',
};

const languages: Record<Language, string> = {
  en: '../shared/texts/en.ts',
  'zh-hans': '../shared/texts/zh-hans.ts',
  'zh-hant': '../shared/texts/zh-hant.ts',
};

/** Writes the preload manifest beside the built pages; fails if a module that it is about is in no file. */
export function writePreloadManifest(): Plugin {
  let root = '';
  return {
    name: 'preload-manifest',
    configResolved(config) {
      root = config.root;
    },
    generateBundle(_, bundle) {
      const files = filesByName(pages, root, bundle);
      const manifest: PreloadManifest = {
        pages: Object.fromEntries(
          Object.entries(startPages).map(([address, page]) => [address, files[page]]),
        ),
        languages: filesByName(languages, root, bundle),
      };
      this.emitFile({ type: 'asset', fileName: preloadManifestName, source: JSON.stringify(manifest) });
    },
  };
}

function filesByName<Name extends string>(
  modules: Record<Name, string>,
  root: string,
  bundle: Rolldown.OutputBundle,
): Record<Name, string[]> {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  // What the HTML names already.
  const first = withImports(
    chunks.filter(({ isEntry }) => isEntry),
    chunks,
  );
  const files = Object.entries<string>(modules).map(([name, module]) => {
    const chunk = chunks.find(({ moduleIds }) => moduleIds.includes(path.join(root, module)));
    if (!chunk) throw new Error(`${module} is in no file of the built pages`);
    const needed = [...withImports([chunk], chunks)].filter((one) => !first.has(one));
    return [name, needed.flatMap(addresses)];
  });
  return Object.fromEntries(files) as Record<Name, string[]>;
}

/** These chunks, and all that they import other than on demand. */
function withImports(chunks: Rolldown.OutputChunk[], all: Rolldown.OutputChunk[]): Set<Rolldown.OutputChunk> {
  const found = new Set(chunks);
  // A set is walked in order, what is added on the way included.
  for (const { imports } of found)
    for (const chunk of all) if (imports.includes(chunk.fileName)) found.add(chunk);
  return found;
}

function addresses({ fileName, viteMetadata }: Rolldown.OutputChunk): string[] {
  return [fileName, ...(viteMetadata?.importedCss ?? [])].map((file) => `/${file}`);
}

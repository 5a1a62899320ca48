import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import type { Rolldown } from 'vite';
import { version } from './package.json';
import { hostContract } from './src/shared/host/contract.ts';

/** `group.name` of everything in the host contract that goes this way. */
const hostChannels = (direction: 'request' | 'event') =>
  Object.entries(hostContract).flatMap(([group, descriptors]) =>
    Object.entries(descriptors)
      .filter(([, descriptor]) => descriptor.direction === direction)
      .map(([name]) => `${group}.${name}`),
  );

/**
 * electron-vite makes asset addresses relative, for pages from files. A page of ours that is several segments
 * deep would look for them beside itself. Its `base` option is overruled, a later plugin is not.
 */
const rootedAssets = { name: 'rooted-assets', config: () => ({ base: '/' }) };

/**
 * Everything that the page's first script needs anyhow, as one file: of many small ones, a browser on a slow
 * network waits for each, and code would run in the order of the files rather than of the imports.
 */
function firstLoad(): (id: string, chunks: Rolldown.ChunkingContext) => string | null {
  let first: Set<string> | undefined;
  return (id, chunks) => {
    first ??= importedFrom(path.join(import.meta.dirname, 'src/renderer/main.tsx'), chunks);
    return first.has(id) ? 'index' : null;
  };
}

/** A module, and all that it imports other than on demand. */
function importedFrom(entry: string, chunks: Rolldown.ChunkingContext): Set<string> {
  const found = new Set([entry]);
  // A set is walked in order, what is added on the way included.
  for (const id of found)
    for (const imported of chunks.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

export default defineConfig({
  main: {
    build: {
      outDir: 'out/main',
      rollupOptions: { input: 'src/main/electron/index.ts', output: { format: 'es' } },
    },
  },
  preload: {
    define: {
      HOST_CHANNELS: JSON.stringify({ requests: hostChannels('request'), events: hostChannels('event') }),
    },
    build: {
      outDir: 'out/preload',
      // A sandboxed preload is one CommonJS file that can require nothing but 'electron'.
      // https://www.electronjs.org/docs/latest/tutorial/sandbox#preload-scripts
      externalizeDeps: false,
      rollupOptions: {
        input: 'src/preload/index.ts',
        output: { format: 'cjs', entryFileNames: 'index.cjs' },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react(), rootedAssets],
    define: { 'import.meta.env.VITE_APP_VERSION': JSON.stringify(version) },
    // The service's calls, but not the modules of src/renderer/api, which the server itself serves.
    server: { proxy: { '^/api/(?!.*\\.tsx?(?:\\?|$))': 'http://127.0.0.1:8787' } },
    build: {
      outDir: 'out/renderer',
      // The web console in all current browsers, too: electron-vite would build for Electron's Chromium only,
      // and leave it at full length.
      target: 'baseline-widely-available',
      minify: true,
      // In kB, before compression: one file for the first load, of which the bench says what it weighs.
      chunkSizeWarningLimit: 700,
      // The pages' Content-Security-Policy has no `data:`, so no file is inlined as one.
      assetsInlineLimit: 0,
      rollupOptions: {
        input: path.join(import.meta.dirname, 'src/renderer/index.html'),
        output: { codeSplitting: { groups: [{ name: firstLoad(), debugName: 'first load' }] } },
      },
    },
  },
});

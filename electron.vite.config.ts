import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { version } from './package.json';
import { writePreloadManifest } from './scripts/preload-manifest.ts';
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
 * Browsers show what stands before a style sheet without waiting for it, and run no script before it is there: at
 * the end of the body it holds back the pages, but not the launch screen.
 */
const styleSheetLast = {
  name: 'style-sheet-last',
  apply: 'build',
  transformIndexHtml: {
    order: 'post',
    handler(html: string) {
      const link = /^ *<link rel="stylesheet".*\n/m.exec(html)?.[0];
      if (link === undefined) throw new Error('index.html names no style sheet');
      return html.replace(link, '').replace('  </body>', () => `${link}  </body>`);
    },
  },
} as const;

/**
 * What the router's file makes at its top by `forwardRef` is used or not, and nothing else; it does not say so, and
 * brings with it how a server's pages are fetched.
 */
const pureRouter = {
  name: 'pure-router',
  apply: 'build',
  transform: {
    filter: { id: /\/react-router\/dist\/.*\/chunk-\w+\.mjs$/ },
    handler: (code: string) =>
      code
        .replace(/^(var \w+ = )(?=React\d*\.forwardRef\()/gm, '$1/* @__PURE__ */ ')
        .replace(/^(?:Link|NavLink|Form)\.displayName = "\w+";$/gm, ''),
  },
} as const;

const packages = path.join(import.meta.dirname, 'node_modules');
/** What is in some package twice, once smaller: by default each is taken as for a developer, or for an old React. */
const smaller = new Map([
  ['react-router', path.join(packages, 'react-router/dist/production/index.mjs')],
  ['react-router/dom', path.join(packages, 'react-router/dist/production/dom-export.mjs')],
  ['use-sync-external-store/shim', path.join(packages, 'react/index.js')],
]);
const smallerPackages = {
  name: 'smaller-packages',
  apply: 'build',
  enforce: 'pre',
  resolveId: (source: string) => smaller.get(source),
} as const;

export default defineConfig({
  main: {
    // Electron's app knows it by package.json; the command line has no Electron.
    define: { 'import.meta.env.VITE_APP_VERSION': JSON.stringify(version) },
    build: {
      outDir: 'out/main',
      rollupOptions: {
        input: { index: 'src/main/electron/index.ts', cli: 'src/main/cli/index.ts' },
        output: { format: 'es' },
      },
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
    plugins: [react(), smallerPackages, pureRouter, rootedAssets, styleSheetLast, writePreloadManifest()],
    define: { 'import.meta.env.VITE_APP_VERSION': JSON.stringify(version) },
    // The service's calls, but not the modules of src/renderer/api, which the server itself serves.
    server: { proxy: { '^/api/(?!.*\\.tsx?(?:\\?|$))': 'http://127.0.0.1:8787' } },
    build: {
      outDir: 'out/renderer',
      // The web console in all current browsers, too: electron-vite would build for Electron's Chromium only,
      // and leave it at full length.
      target: 'baseline-widely-available',
      minify: true,
      // Browsers without it load the same a little later.
      modulePreload: { polyfill: false },
      // In kB, before compression: one file for the first load, of which the bench says what it weighs.
      chunkSizeWarningLimit: 700,
      // The pages' Content-Security-Policy has no `data:`, so no file is inlined as one.
      assetsInlineLimit: 0,
      rollupOptions: {
        input: path.join(import.meta.dirname, 'src/renderer/index.html'),
        // It does not say so itself, and all of it would be loaded for a part of it.
        treeshake: { moduleSideEffects: [{ test: /[\\/]react-i18next[\\/]/, sideEffects: false }] },
        output: {
          assetFileNames: ({ originalFileNames }) =>
            originalFileNames.some((file) => file.includes('/country-flag-icons/'))
              ? 'assets/flags/[name]-[hash][extname]'
              : 'assets/[name]-[hash][extname]',
          // Of many small files, a browser on a slow network waits for each. So one for all that any page
          // needs, and one for each of the pages that people come to; others load the rest on demand.
          codeSplitting: {
            groups: [
              { name: 'index', tags: ['$initial'], priority: 1 },
              // But React, half of it: browsers compile two files at once, and keep this one when the rest is new.
              {
                name: 'react',
                test: /node_modules\/(?:react|react-dom|scheduler)\/|ui\/create-root\.ts/,
                priority: 2,
              },
              // Before the account, which else would take with it what all three have in common.
              // What the account has in common with the login, which it would bring with it else.
              { name: 'shared', test: /renderer\/ui\/use-now\.ts/ },
              {
                name: 'mantine',
                test: /renderer\/ui\/(?:mantine|email-text)\.tsx|@mantine\/hooks\/|@mantine\/core\/.*\/(?:CloseButton|Group|VisuallyHidden|use-resolved-styles-api)\//,
              },
              { name: 'login', test: /features\/sign-in\/login-page/ },
              { name: 'verify', test: /features\/sign-in\/verify-page/ },
              { name: 'account', test: /features\/account\/account-page/ },
            ],
          },
        },
      },
    },
  },
});

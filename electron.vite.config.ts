import path from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { version } from './package.json';
import { writePreloadManifest } from './scripts/preload-manifest.ts';
import { desktopContract } from './src/shared/host/updates-contract.ts';

/** `group.name` of everything in the desktop app's host contract that goes this way. */
const hostChannels = (direction: 'request' | 'event') =>
  Object.entries(desktopContract).flatMap(([group, descriptors]) =>
    Object.entries(descriptors)
      .filter(([, descriptor]) => descriptor.direction === direction)
      .map(([name]) => `${group}.${name}`),
  );

/**
 * electron-vite makes asset addresses relative, for pages from files. A page whose address has several segments would
 * look for them in the wrong place. electron-vite overrides the `base` option, but not a later plugin.
 */
const rootedAssets = { name: 'rooted-assets', config: () => ({ base: '/' }) };

/**
 * Browsers show what comes before a style sheet without waiting for it, and run no script before it is loaded: at the
 * end of the body, it delays the pages, but not the launch screen.
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
 * What the router's file creates with `forwardRef` at its top level has no side effects, but the file does not say so,
 * and would include the code for loading a server's pages. Its own page for errors is only shown with that code.
 */
const pureRouter = {
  name: 'pure-router',
  apply: 'build',
  transform: {
    filter: { id: /\/react-router\/dist\/.*\/chunk-\w+\.mjs$/ },
    handler: (code: string) =>
      code
        .replace(/^(var \w+ = )(?=React\d*\.forwardRef\()/gm, '$1/* @__PURE__ */ ')
        .replace(/^(?:Link|NavLink|Form)\.displayName = "\w+";$/gm, '')
        .replace(/^(var defaultErrorElement = ).*;$/gm, '$1null;'),
  },
} as const;

const packages = path.join(import.meta.dirname, 'node_modules');
/**
 * Some packages exist in two versions, one of them smaller: by default, the one for developers, or for an old React,
 * would be used.
 */
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
    // In Electron, the app reads its version from package.json; the command line has no Electron.
    define: { 'import.meta.env.VITE_APP_VERSION': JSON.stringify(version) },
    build: {
      outDir: 'out/main',
      rollupOptions: {
        input: {
          index: 'src/main/electron/index.ts',
          cli: 'src/main/cli/index.ts',
          'script-thread': 'src/main/way-out/script/script-thread.ts',
        },
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
      // A sandboxed preload is one CommonJS file that can only require 'electron'.
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
    // The service's calls, but not the modules of src/renderer/api, which this server serves itself.
    server: { proxy: { '^/api/(?!.*\\.tsx?(?:\\?|$))': 'http://127.0.0.1:8787' } },
    build: {
      outDir: 'out/renderer',
      // For the web console in all current browsers: electron-vite would only build for Electron's Chromium, without
      // minification.
      target: 'baseline-widely-available',
      minify: true,
      // Browsers without support load the same files a little later.
      modulePreload: { polyfill: false },
      // In kB, before compression: one file for the first load, whose size the benchmark measures.
      chunkSizeWarningLimit: 700,
      // The pages' Content-Security-Policy does not allow `data:`, so no file is inlined that way.
      assetsInlineLimit: 0,
      rollupOptions: {
        input: path.join(import.meta.dirname, 'src/renderer/index.html'),
        // The package does not say so itself, and all of it would be loaded for a part.
        treeshake: { moduleSideEffects: [{ test: /[\\/]react-i18next[\\/]/, sideEffects: false }] },
        output: {
          assetFileNames: ({ originalFileNames }) =>
            originalFileNames.some((file) => file.includes('/country-flag-icons/'))
              ? 'assets/flags/[name]-[hash][extname]'
              : 'assets/[name]-[hash][extname]',
          // With many small files, a browser on a slow network waits for each. So there is one file for everything that
          // all pages need, and one for each page that people open directly; others load the rest on demand.
          codeSplitting: {
            groups: [
              { name: 'index', tags: ['$initial'], priority: 1 },
              // Except React, which is half of it: browsers compile two files in parallel, and can keep this one when
              // the rest changes.
              {
                name: 'react',
                test: /node_modules\/(?:react|react-dom|scheduler)\/|ui\/pages\/create-root\.ts/,
                priority: 2,
              },
              // Before the account page, which would otherwise include what all three share. What the account page
              // shares with the login page would otherwise be loaded with it.
              { name: 'shared', test: /renderer\/ui\/time\/use-now\.ts/ },
              {
                name: 'mantine',
                test: /renderer\/ui\/(?:theme\/mantine|text\/email-text)\.tsx|@mantine\/hooks\/|@mantine\/core\/.*\/(?:CloseButton|Group|VisuallyHidden|use-resolved-styles-api)\//,
              },
              // Where there is a tunnel, this comes first, whatever the page.
              { name: 'tunnel', test: /shared\/host\/contract\.ts|features\/tunnel\/tunnel-store\.ts/ },
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

/** `node --import` of the app's process: resolves `electron` to the double, for imports and requires alike. */
import { flushCompileCache, registerHooks } from 'node:module';
// Not the package's main module, which would look for the binary.
import electronPackage from 'electron/package.json' with { type: 'json' };

/** Source beside source, bundle beside bundle. */
const isSource = import.meta.url.endsWith('.ts');
const double = new URL(isSource ? './electron/electron.ts' : './electron.mjs', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'electron' && specifier !== 'electron/main') return next(specifier, context);
    return { url: double, format: isSource ? 'module-typescript' : 'module', shortCircuit: true };
  },
});

Object.defineProperty(process, 'type', { value: 'browser' });

const { STAND_IN_PLATFORM } = process.env;
if (STAND_IN_PLATFORM !== undefined) {
  // While it is still known for which system their binaries have to be.
  await Promise.all([import('koffi'), import('keytar')]);
  Object.defineProperty(process, 'platform', { value: STAND_IN_PLATFORM });
}

const { STAND_IN_PROGRAM } = process.env;
if (STAND_IN_PROGRAM !== undefined) Object.defineProperty(process, 'execPath', { value: STAND_IN_PROGRAM });

// Tests kill most apps: what was compiled for the start is of use to the next one all the same.
setTimeout(flushCompileCache, 2000).unref();

Object.defineProperty(process.versions, 'electron', {
  value: electronPackage.version,
  enumerable: true,
});

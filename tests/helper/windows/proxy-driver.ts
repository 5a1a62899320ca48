import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import pino from 'pino';
import { createSettings } from '../../../src/main/preferences/settings.ts';
import { createSystemProxy } from '../../../src/main/system-proxy/system-proxy.ts';
import { readProxySetting } from '../../../src/main/way-out/read-proxy-setting.ts';

/**
 * Run under wine, as one start of the app after another: `node proxy-driver.mjs use ADDRESS | use-and-die ADDRESS |
 * restore | way-out`. Prints what the call says. Settings are in a file beside it.
 */
const file = path.join(import.meta.dirname, 'settings.json');
const content = new Map<string, unknown>();
try {
  for (const [key, value] of Object.entries(JSON.parse(readFileSync(file, 'utf8')) as object))
    content.set(key, value);
} catch {
  // The first start.
}
const save = () => writeFileSync(file, JSON.stringify(Object.fromEntries(content)));
const settings = createSettings({
  get: (key) => content.get(key),
  set(key, value) {
    content.set(key, value);
    save();
  },
  delete(key) {
    content.delete(key);
    save();
  },
  clear() {
    content.clear();
    save();
  },
});
const surroundings = {
  run: () => Promise.reject(new Error('no programs are needed')),
  env: {},
  log: pino(pino.destination({ dest: path.join(import.meta.dirname, 'proxy.log'), sync: true })),
};
const proxy = createSystemProxy({ settings, ...surroundings });
const [what, address = ''] = process.argv.slice(2);
if (what === 'restore') await proxy.restore();
else if (what === 'way-out')
  console.log(
    JSON.stringify(await readProxySetting({ before: settings.get('proxyBefore'), ...surroundings })),
  );
else console.log(await proxy.use(address));
if (what === 'use-and-die') process.kill(process.pid, 'SIGKILL');

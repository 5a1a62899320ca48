import path from 'node:path';
import { RuleTester } from 'oxlint/plugins-dev';
import { describe, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../..');
// Plain JavaScript, for the linter.
const { systemKnowledge } = (await import(path.join(root, 'scripts/lint/system-knowledge.js'))) as {
  systemKnowledge: Parameters<RuleTester['run']>[1];
};
RuleTester.describe = describe;
RuleTester.it = it;

const inFile = (file: string) => (code: string) => ({ code, filename: path.join(root, file) });
const anywhere = inFile('src/main/tray/tray-view.ts');
const inHelper = inFile('helper/system/coordinator.ts');

const asks = 'this asks which system this is';
const compares = 'this compares with the name of a system';
const table = 'this is a table by the names of systems';
const ofOne = 'this path is of one system';
const wrong = (test: { code: string; filename: string }, ...what: string[]) => ({
  ...test,
  errors: what.map((one) => ({
    message: `${one}: put it into the folder of that system, and let one file choose`,
  })),
});

new RuleTester().run('knowledge of a system is in its folder', systemKnowledge, {
  valid: [
    ...[
      "const isMac = process.platform === 'darwin';",
      "const file = '/proc/self/stat';",
      'const pipe = String.raw`\\\\.\\pipe\\waymaker`;',
    ].flatMap((code) => [
      inFile('src/main/tray/linux/tray-host.ts')(code),
      inFile('helper/posix/command.ts')(code),
      inFile('helper/platform.ts')(code),
      inFile('src/main/tray/tray-place.ts')(code),
      inFile('tests/unit/main/tray/tray-tone.test.ts')(code),
    ]),
    ...[
      "const kind = name === 'wired';",
      "const names = { linux: 'Linux' };",
      "const file = 'etc/hosts';",
      "const file = '/system/hosts';",
      "const text = 'see /etc/hosts';",
      'const { env } = process;',
      'const { platform } = options;',
    ].map((code) => anywhere(code)),
  ],
  invalid: [
    wrong(anywhere('const system = process.platform;'), asks),
    wrong(anywhere('const { env, platform } = process;'), asks),
    wrong(anywhere("if (process.platform !== 'win32') act();"), compares, asks),
    wrong(anywhere("const isMac = 'darwin' === platform;"), compares),
    wrong(anywhere("switch (platform) { case 'linux': act(); }"), compares),
    wrong(anywhere("const places = { win32: 'C:', darwin: '/' };"), table, table),
    wrong(inHelper("read('/proc/net/route');"), ofOne),
    wrong(inHelper("read('/etc');"), ofOne),
    wrong(inHelper('read(`/sys/class/net/${name}`);'), ofOne),
    wrong(inHelper("connect('\\\\\\\\.\\\\pipe\\\\waymaker');"), ofOne),
    wrong(inHelper('connect(String.raw`\\\\.\\pipe\\waymaker-${name}`);'), ofOne),
  ],
});

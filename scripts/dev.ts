import { spawn } from 'node:child_process';
import path from 'node:path';
import { resolveConfig } from 'electron-vite';
import { createServer } from 'vite';
import { electronBinary } from '../tests/e2e/support/host/electron-binary.ts';
import { endProcess } from '../tests/lab/runs/process.ts';

/**
 * The pages with hot reloading, on the embedded service, which restarts when its source changes. In Electron if its
 * binary is here; in any case in a browser, where `?mock` gives the connect tab a mock tunnel.
 */
const root = path.resolve(import.meta.dirname, '..');
await using running = new AsyncDisposableStack();

// The service then shows mailed codes on a page, and accepts payments without money.
const env = { ...process.env, WAYMAKER_DEVELOPMENT: '1' };
const start = (argv: string[]) => {
  const child = spawn(process.execPath, argv, { cwd: root, stdio: 'inherit', env });
  running.defer(() => endProcess(child));
};
start(['--watch', '--watch-preserve-output', 'src/service/index.ts']);

if (electronBinary() !== undefined) {
  start([path.join(root, 'node_modules/electron-vite/bin/electron-vite.js'), 'dev', '--watch']);
} else {
  const { config } = await resolveConfig({ root }, 'serve');
  const server = await createServer({ ...config?.renderer, configFile: false });
  running.defer(() => server.close());
  await server.listen();
  server.printUrls();
  console.log(
    "Electron's binary is not here: the pages run in a browser. Add ?mock for a tunnel that pretends.",
  );
}

await new Promise<void>((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve());
});

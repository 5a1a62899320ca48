import path from 'node:path';
import { createLog } from '../../../helper/log.ts';
import { createPortalHost, createProxyHost } from '../../../helper/windows/programs/proxy-host.ts';

/**
 * Run under wine, in the helper's place: `node proxy-host-driver.mjs stays|outlives|ends|portal`. Starts the proxy, or ends the
 * one that is left, and prints JSON lines.
 */
const [what = ''] = process.argv.slice(2);
const tell = (event: string, data: object = {}) => console.log(JSON.stringify({ event, ...data }));
const log = createLog((line) => tell('log', { line }));
const directory = import.meta.dirname;
const program = () => path.join(directory, 'proxy.mjs');
const host = createProxyHost({ program, directory, log });

async function serve(outlive: boolean): Promise<void> {
  const proxy = await host.create();
  await proxy.configure({
    resolvers: [],
    families: { ipv4: true, ipv6: true },
    routeDomains: ['example.org'],
    blockedDomains: [],
    directDomains: [],
    outlive,
  });
  tell('serves', { ...proxy.listening, outlives: proxy.outlives });
}

if (what === 'ends') {
  await host.endLeftOver();
  tell('ended');
  process.exit(0);
} else if (what === 'portal') {
  const portal = await createPortalHost({ program, log }).start([], () => tell('portal ended'));
  tell('serves', { port: portal.port });
} else await serve(what === 'outlives');
// As the helper, which has more to do.
setInterval(() => undefined, 1_000);

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright';
import { listedDomain } from '#shared/tunnel/domain-name.ts';
import { pacFile } from '#shared/tunnel/pac-file.ts';
import { root } from '../../e2e/support/host/paths.ts';
import { launchBrowser } from '../../e2e/support/service/web-console.ts';
import { byTurns, row, type Row } from '../row.ts';

export const pacRows = ['pac-decision'] as const;

/** Chromium's PAC resolver runs V8 so (its services/proxy_resolver/proxy_resolver_v8.cc): it interprets the file. */
const resolverArguments = ['--js-flags=--jitless,--optimize-for-size'];

const rounds = 7;
const port = 28;

/** What anybody would write: every name as it is, and a loop over what encloses a host. */
const plainFile = (names: readonly string[]) => `var listed = ${JSON.stringify(
  Object.fromEntries(names.map((name) => [name, 1])),
)};
function FindProxyForURL(url, host) {
  for (var name = host, dot; ; name = name.slice(dot + 1)) {
    if (Object.prototype.hasOwnProperty.call(listed, name)) return 'SOCKS5 127.0.0.1:${port}';
    dot = name.indexOf('.');
    if (dot < 0) return 'DIRECT';
  }
}
`;

/**
 * A decision of the PAC file for the real list of some 110,000 domains, interpreted as in Chromium's resolver, in µs:
 * for each of them a host below it and one that is not listed. The peer has the same list unpacked, and takes three
 * times the bytes.
 */
export async function* measurePac(isWanted: (row: string) => boolean): AsyncGenerator<Row> {
  if (!isWanted('pac-decision')) return;
  const text = await readFile(path.join(root, 'tests/fixtures/route-lists/cn-domains.txt'), 'utf8');
  const names = text.split('\n').flatMap((line) => listedDomain(line) ?? []);
  const files = {
    ours: pacFile({ port, routeDomains: names, blockedDomains: [] }),
    peer: plainFile(names),
  };
  const browser = await launchBrowser(undefined, resolverArguments);
  try {
    const pages = { ours: await browser.newPage(), peer: await browser.newPage() };
    await load(pages.ours, files.ours, names);
    await load(pages.peer, files.peer, names);
    const measure = { ours: () => decide(pages.ours), peer: () => decide(pages.peer) };
    yield row('pac-decision', await byTurns(rounds, measure), { unit: 'µs', better: 'lower' });
  } finally {
    await browser.close();
  }
}

async function load(page: Page, file: string, names: readonly string[]): Promise<void> {
  await page.addScriptTag({ content: file });
  const hosts = names.flatMap((name) => [`www.${name}`, `${name}.not-listed.example`]);
  await page.addScriptTag({ content: `var hosts = ${JSON.stringify(hosts)};` });
}

/** Of one decision on average, in µs; whatever is decided is checked, too. */
async function decide(page: Page): Promise<number> {
  const { micros, proxied, hosts } = await page.evaluate<{ micros: number; proxied: number; hosts: number }>(
    `(() => {
      const begun = performance.now();
      let proxied = 0;
      for (const host of hosts) if (FindProxyForURL('https://' + host + '/', host) !== 'DIRECT') proxied += 1;
      return { micros: (1000 * (performance.now() - begun)) / hosts.length, proxied, hosts: hosts.length };
    })()`,
  );
  if (proxied * 2 !== hosts) throw new Error(`${proxied} of ${hosts} hosts were sent to the proxy`);
  return micros;
}

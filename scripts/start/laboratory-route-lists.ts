import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { addresses, names } from '../../tests/lab/network/addresses.ts';

const fixtures = path.resolve(import.meta.dirname, '../../tests/fixtures/route-lists');

/** A country where nobody expects a site of theirs. */
const country = 'aq';
export const countryName = 'Antarctica';

/**
 * The lists of the tests, with the laboratory's echo service added to the routed sites and to Antarctica. Its neighbour
 * is on no list. Returns the folder.
 */
export async function writeLaboratoryRouteLists(directory: string): Promise<string> {
  const lists = path.join(directory, 'route-lists');
  await mkdir(lists);
  await copyFile(path.join(fixtures, 'cn-ipv4-prefixes.txt'), path.join(lists, 'cn-ipv4-prefixes.txt'));
  const domains = await readFile(path.join(fixtures, 'cn-domains.txt'), 'utf8');
  await writeFile(path.join(lists, 'cn-domains.txt'), `${domains.trimEnd()}\n${names.echo}\n`);
  await writeFile(path.join(lists, `${country}-ipv4-prefixes.txt`), `${addresses.echo.ipv4}/32\n`);
  return lists;
}

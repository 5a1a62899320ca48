import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { notOurs } from './not-ours.ts';

export const peers = ['openconnect', 'ocserv'] as const;
export type Peer = (typeof peers)[number];

/** One script of a peer's suite. */
export interface Row {
  peer: Peer;
  script: string;
  /** Why it is not ours to pass. */
  notOurs: string | undefined;
}

/** The scripts of a peer's suite that start openconnect, themselves or by what they include. */
export async function rowsOf(peer: Peer, tests: string): Promise<Row[]> {
  const entries = await readdir(tests, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && !entry.name.includes('.'))
    .map(({ name }) => name);
  const rows = await Promise.all(
    names.map(async (script) => {
      const text = await readFile(path.join(tests, script), 'utf8');
      if (!/^#!\/bin\/(?:ba)?sh/.test(text)) return [];
      const included = [...text.matchAll(/^\s*\.\s+(?:`dirname \$0`\/)?(\S+)/gm)].map(
        ([, name = '']) => name,
      );
      const all = [text, ...(await Promise.all(included.map((name) => textOf(path.join(tests, name)))))];
      return all.some((each) => startsOpenconnect.test(each)) ? [script] : [];
    }),
  );
  return rows.flat().map((script) => ({ peer, script, notOurs: notOurs[peer][script] }));
}

const startsOpenconnect = /\$\{?(?:RAW_)?OPENCONNECT\}?"?[ \t]+(?!--version|--help)/;

/** In common.sh, there is only the command's name. */
async function textOf(file: string): Promise<string> {
  return path.basename(file) === 'common.sh' ? '' : readFile(file, 'utf8').catch(() => '');
}

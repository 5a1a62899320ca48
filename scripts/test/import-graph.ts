import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Which files of the repository each of its files imports; paths are relative to its root. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

const aliases: Readonly<Record<string, string>> = { '#shared/': 'src/shared/', '#node/': 'src/node/' };
export const isCode = (file: string) => /\.(?:ts|tsx|js|css)$/.test(file);
/** Imports and exports from another module, imports for effect, and dynamic ones. */
const specifiers = /(?:\bfrom|\bimport)\s*\(?\s*(['"])([^'"\n]+)\1/g;
/** Files that are named otherwise, in most cases to be started, beside the file or from the root. */
const names = /(['"])([\w./-]+\.(?:ts|tsx|js))\1/g;
/** It names the programs of all runners. */
const programList = 'tests/lab/runs/programs.ts';

/**
 * `files`: those of the repository, relative to `root`. `gone`: some that are not there any more, and are still
 * imported or named, perhaps.
 */
export function readImportGraph(
  root: string,
  files: readonly string[],
  gone: readonly string[] = [],
): ImportGraph {
  const known = new Set([...files, ...gone]);
  return new Map(
    files.filter(isCode).map((file) => {
      const text = readFileSync(path.join(root, file), 'utf8');
      const imported = [...text.matchAll(specifiers)].map(([, , specifier = '']) =>
        targetOf(specifier, file),
      );
      const named = file === programList ? [] : [...text.matchAll(names)].map(([, , name = '']) => name);
      const beside = named.map((name) => path.posix.join(path.posix.dirname(file), name));
      const targets = [...imported, ...named, ...beside].filter((target) => known.has(target));
      return [file, [...new Set(targets)]];
    }),
  );
}

function targetOf(specifier: string, file: string): string {
  for (const [alias, folder] of Object.entries(aliases))
    if (specifier.startsWith(alias)) return specifier.replace(alias, folder);
  if (specifier.startsWith('.')) return path.posix.join(path.posix.dirname(file), specifier);
  return specifier;
}

/** A file and all that it imports, directly or not. */
export function closureOf(graph: ImportGraph, entry: string): Set<string> {
  const reached = new Set([entry]);
  for (const file of reached) for (const target of graph.get(file) ?? []) reached.add(target);
  return reached;
}

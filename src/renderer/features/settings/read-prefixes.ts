import { addressChoice } from '#shared/host/contract.ts';
import { canonicalPrefix } from '#shared/tunnel/prefix.ts';

/** The addresses and prefixes of a list that somebody typed, as they are written; undefined if one is none, or all. */
export function readPrefixes(text: string): string[] | undefined {
  const listed = text.split(/[\s,，、;]+/).filter(Boolean);
  const prefixes = [...new Set(listed.map(canonicalPrefix))];
  return addressChoice.shape.prefixes.safeParse(prefixes).data;
}

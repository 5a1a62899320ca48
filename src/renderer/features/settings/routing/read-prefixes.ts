import { addressChoice } from '#shared/host/preferences.ts';
import { canonicalPrefix } from '#shared/tunnel/prefix.ts';
import { localPrefixes } from '#shared/tunnel/state.ts';
import { readTyped } from '#shared/typed-text.ts';

/**
 * The addresses and prefixes in a list that somebody typed, in canonical form; undefined if one is invalid or a default
 * route.
 */
export function readPrefixes(text: string): string[] | undefined {
  return addressChoice.shape.prefixes.safeParse(prefixesIn(text)).data;
}

/** The prefixes of a list if all can be local; undefined if one cannot. */
export function readLocalPrefixes(text: string): string[] | undefined {
  return localPrefixes.safeParse(prefixesIn(text)).data;
}

function prefixesIn(text: string): (string | undefined)[] {
  const listed = readTyped(text)
    .split(/[\s,、;]+/)
    .filter(Boolean);
  return [...new Set(listed.map(canonicalPrefix))];
}

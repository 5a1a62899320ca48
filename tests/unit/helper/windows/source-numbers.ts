import type { Structure } from '#node/os/windows/structure.ts';
import type { Constants } from './windows-headers.ts';

/** What is compared with the headers, or has a source of its own. */
export interface Known {
  structures: readonly Structure[];
  constants: readonly Constants[];
  /** Numbers of our own, as they are written in a file. */
  exceptions: Readonly<Record<string, readonly string[]>>;
}

const comments = /\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
const numberText = String.raw`-?(?:0x[\da-f_]+|\d[\d_]*)n?`;
/** C's names: in upper case, or with words in it. A type and a name after a question or a point are none. */
const namedNumber = new RegExp(
  String.raw`(?<![.\w]|type )([A-Z]\w*|[a-z]+_\w+)(?::| =) (${numberText})\b`,
  'g',
);
const hexadecimal = /\b0x[\da-f_]+n?\b/gi;
/** A number as the last thing that says where something is in memory, but for its beginning. */
const place =
  /\.(?:(?:read|write)(?:Big)?U?Int\w*|[gs]et(?:Big)?Uint\w*)\((?:[^()\n]|\([^()\n]*\))*\b[1-9]\d*(?:, true)?\)/g;
const foreignStructure = /\bkoffi\.(?:struct|union|pack)\b/g;
const ownStructure = /\b(?:structure|table)\(\s*'(\w+)'/g;

/** What a file has of Windows' numbers and structures that is not known, as it is written there. */
export function unknownNumbers(
  file: string,
  content: string,
  { structures, constants, exceptions }: Known,
): string[] {
  const text = content.replaceAll(comments, '');
  const names = new Set(structures.map(({ name }) => name));
  const members = new Set(structures.flatMap((one) => Object.keys(one.members)));
  const isKnown = (name: string, value: string) =>
    members.has(name) ||
    constants.some((one) => one[name] !== undefined && BigInt(one[name]) === numberOf(value));
  const named = [...text.matchAll(namedNumber)].flatMap(([all, name = '', value = '']) =>
    isKnown(name, value) ? [] : [all],
  );
  const rest = text.replaceAll(namedNumber, '');
  const found = [
    ...named,
    ...[hexadecimal, place].flatMap((pattern) => rest.match(pattern) ?? []),
    ...(text.match(foreignStructure) ?? []),
    ...[...text.matchAll(ownStructure)].flatMap(([, name = '']) => (names.has(name) ? [] : [name])),
  ];
  const allowed = exceptions[file] ?? [];
  return found.filter((one) => !allowed.includes(one));
}

function numberOf(text: string): bigint {
  const digits = text.replaceAll(/[_n-]/g, '');
  return text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
}

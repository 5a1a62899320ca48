/**
 * A compact form of domains for PAC files: browsers accept at most 1 MB (Chromium's limit), and real lists are longer.
 * Domains with the same top-level domain are grouped, without it, and sorted. Each begins with a capital letter that
 * says how many characters it shares with the one before (front coding); A means none.
 */

const maxShared = 25;

/** Pairs of a top-level domain and its packed domains. The domains have to be canonical. */
export function packDomains(domains: Iterable<string>): [topLevel: string, packed: string][] {
  const groups = new Map<string, string[]>();
  for (const domain of domains) {
    const dot = domain.lastIndexOf('.');
    const topLevel = domain.slice(dot + 1);
    const group = groups.get(topLevel);
    const rest = dot < 0 ? '' : domain.slice(0, dot);
    if (group) group.push(rest);
    else groups.set(topLevel, [rest]);
  }
  return [...groups]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([topLevel, group]) => [topLevel, frontCode(group.sort())]);
}

function frontCode(sorted: readonly string[]): string {
  let before = '';
  let packed = '';
  for (const text of sorted) {
    const shared = sharedLength(before, text);
    packed += String.fromCharCode(65 + shared) + text.slice(shared);
    before = text;
  }
  return packed;
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < Math.min(maxShared, one.length, other.length) && one[length] === other[length]) length += 1;
  return length;
}

/**
 * The reverse, as an ECMAScript 3 function for the PAC file: gives an object, for each domain of the pairs, a property
 * with this value, named like the domain with a dot before it. The dot keeps domains apart from properties that every
 * object has.
 */
export const unpackDomainsSource = `function unpack(groups, domains, value) {
  var last, topLevel, i;
  function add(all, shared, rest) {
    last = last.substring(0, shared.charCodeAt(0) - 65) + rest;
    domains[(last ? '.' + last : '') + topLevel] = value;
    return '';
  }
  for (i = 0; i < groups.length; i++) {
    last = '';
    topLevel = '.' + groups[i][0];
    groups[i][1].replace(/([A-Z])([^A-Z]*)/g, add);
  }
}`;

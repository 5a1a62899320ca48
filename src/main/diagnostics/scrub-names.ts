import { isIPv4, isIPv6 } from 'node:net';
import { scrubLog, withoutCodes } from '#shared/log-scrubbing.ts';

/** Personal names and other words of this user and computer that may be anywhere in a log. */
export interface PersonalNames {
  /** Tokens, ids and passwords. */
  secrets: readonly string[];
  homeDirectory: string;
  userName: string;
  hostName: string;
  /** Names of Wi-Fi networks, and anything else with a name. */
  networks: readonly string[];
  /** Addresses that are the same for everybody. */
  knownAddresses?: readonly string[];
}

/** Accounts that every computer has, which identify nobody. */
const everybodysUsers = new Set(['root', 'user', 'admin', 'administrator']);

const hardwareAddress = /\b[\da-f]{2}(?:[:-][\da-f]{2}){5}\b/gi;
const ipv4 = /(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)/g;
const ipv6 = /(?<![\w:.])(?=[\da-f]*:[\da-f:.]*:)[\da-f:.]*[\da-f:](?![\w:])/gi;

/** Addresses that do not reveal where somebody is. */
const isNobodys = (address: string) =>
  /^(?:127\.|0\.0\.0\.0$|255\.255\.255\.255$)/.test(address) || address === '::1' || address === '::';

/**
 * Removes secrets and names of people, computers and networks from texts. Each internet address is replaced by a
 * number, the same everywhere, so that equal addresses stay recognisable.
 */
export function createNameScrubber(names: PersonalNames): (text: string) => string {
  const numbers = new Map<string, number>();
  const numbered = (address: string) => {
    if (isNobodys(address) || names.knownAddresses?.includes(address)) return address;
    const key = address.toLowerCase();
    if (!numbers.has(key)) numbers.set(key, numbers.size + 1);
    return `[address ${numbers.get(key)}]`;
  };
  const words: [RegExp, string][] = [
    ...names.secrets.flatMap((secret) => named(secret, '[scrubbed]', { isWord: false })),
    ...encodings(names.homeDirectory).flatMap((home) => named(home, '[home]', { isWord: false })),
    ...names.networks.flatMap((network) => named(network, '[network]')),
    ...named(names.hostName, '[computer]'),
    ...named(names.hostName.split('.')[0] ?? '', '[computer]'),
    ...(everybodysUsers.has(names.userName.toLowerCase())
      ? []
      : encodings(names.userName).flatMap((user) => named(user, '[user]'))),
  ];
  return (text) => {
    const unnamed = words.reduce(
      (result, [pattern, replacement]) => result.replace(pattern, replacement),
      withoutCodes(text),
    );
    return scrubLog(unnamed)
      .replace(hardwareAddress, '[hardware address]')
      .replace(ipv4, (found) => (isIPv4(found) ? numbered(found) : found))
      .replace(ipv6, (found) => (isIPv6(found) ? numbered(found) : found));
  };
}

/** A text as it is, and as it is in URLs. */
const encodings = (text: string): string[] => [
  ...new Set([text, encodeURI(text), encodeURIComponent(text), encodeURIComponent(encodeURIComponent(text))]),
];

/** Patterns for a text in any spelling; as a whole word, if it could be part of others. */
function named(text: string, replacement: string, { isWord = true } = {}): [RegExp, string][] {
  // A single letter says nothing, and `/` is nobody's home directory.
  if (text.length < 2) return [];
  return inJson(text).map((spelling) => {
    const escaped = spelling.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const pattern = isWord ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])` : escaped;
    return [new RegExp(pattern, 'giu'), replacement];
  });
}

/** A text as it is, and as it is within JSON and within JSON in JSON, which is the longest and comes first. */
function inJson(text: string): string[] {
  const quoted = (plain: string) => JSON.stringify(plain).slice(1, -1);
  return [...new Set([quoted(quoted(text)), quoted(text), text])];
}

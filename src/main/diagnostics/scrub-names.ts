import { isIPv4, isIPv6 } from 'node:net';
import { scrubText } from '#shared/report-scrubbing.ts';

/** What is known of the person at this computer, in words that may stand anywhere in a log. */
export interface PersonalNames {
  /** Tokens, ids and passwords. */
  secrets: readonly string[];
  homeDirectory: string;
  userName: string;
  hostName: string;
  /** Of Wi-Fi networks, and whatever else has a name. */
  networks: readonly string[];
}

/** Accounts that every computer has are nobody's name. */
const everybodysUsers = new Set(['root', 'user', 'admin', 'administrator']);

const homes = /(\/(?:home|Users)\/|\b[A-Z]:\\{1,2}Users\\{1,2})[^/\\\s"':]+/gi;
const hardwareAddress = /\b[\da-f]{2}(?:[:-][\da-f]{2}){5}\b/gi;
const ipv4 = /(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)/g;
const ipv6 = /(?<![\w:.])(?=[\da-f]*:[\da-f:.]*:)[\da-f:.]*[\da-f:](?![\w:])/gi;

/** Of these nobody learns where somebody is. */
const isNobodys = (address: string) =>
  /^(?:127\.|0\.0\.0\.0$|255\.255\.255\.255$)/.test(address) || address === '::1' || address === '::';

/**
 * Takes secrets and names of people, computers and networks out of texts. An internet address becomes the same number
 * wherever it stands, so that it can still be told which are the same.
 */
export function createNameScrubber(names: PersonalNames): (text: string) => string {
  const numbers = new Map<string, number>();
  const numbered = (address: string) => {
    if (isNobodys(address)) return address;
    const key = address.toLowerCase();
    if (!numbers.has(key)) numbers.set(key, numbers.size + 1);
    return `[address ${numbers.get(key)}]`;
  };
  const words: [RegExp, string][] = [
    ...names.secrets.flatMap((secret) => named(secret, '[scrubbed]', { isWord: false })),
    ...named(names.homeDirectory, '[home]', { isWord: false }),
    ...names.networks.flatMap((network) => named(network, '[network]')),
    ...named(names.hostName, '[computer]'),
    ...named(names.hostName.split('.')[0] ?? '', '[computer]'),
    ...(everybodysUsers.has(names.userName.toLowerCase()) ? [] : named(names.userName, '[user]')),
  ];
  return (text) => {
    const unnamed = words.reduce(
      (result, [pattern, replacement]) => result.replace(pattern, replacement),
      text,
    );
    return scrubText(unnamed)
      .replace(homes, '$1[user]')
      .replace(hardwareAddress, '[hardware address]')
      .replace(ipv4, (found) => (isIPv4(found) ? numbered(found) : found))
      .replace(ipv6, (found) => (isIPv6(found) ? numbered(found) : found));
  };
}

/** Where this text stands, in any spelling; as a word of its own, if it could be a part of others. */
function named(text: string, replacement: string, { isWord = true } = {}): [RegExp, string][] {
  // One letter says nothing, and the root directory is nobody's home.
  if (text.length < 2) return [];
  const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = isWord ? `(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])` : escaped;
  return [[new RegExp(pattern, 'giu'), replacement]];
}

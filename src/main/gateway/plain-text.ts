/**
 * Words of a gateway without what is no text: control characters, and marks by which text reads otherwise than it is
 * written (UAX #9).
 */
export function plainText(text: string, most: number): string {
  const lines = text
    .replace(/[^\P{Cc}\n]|[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu, '')
    .split('\n')
    .map((line) => line.trim());
  const clean = lines.filter((line) => line !== '').join('\n');
  // Not in the middle of a character.
  return clean.length <= most ? clean : `${clean.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

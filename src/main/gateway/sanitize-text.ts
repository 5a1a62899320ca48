import { cutText } from '#shared/cut-text.ts';

/** A gateway's text without control characters and without marks that change the reading order (UAX #9). */
export function plainText(text: string, maxLength: number): string {
  const lines = text
    .replace(/[^\P{Cc}\n]|[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu, '')
    .split('\n')
    .map((line) => line.trim());
  const clean = lines.filter((line) => line !== '').join('\n');
  return clean.length <= maxLength ? clean : `${cutText(clean, maxLength - 1)}…`;
}

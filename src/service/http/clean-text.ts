/** Text to show: control and bidirectional characters out, white space joined, cut to length. */
export function cleanText(raw: string, maxLength: number): string {
  const text = raw
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.slice(0, maxLength).replace(/\p{Cs}$/u, '');
}

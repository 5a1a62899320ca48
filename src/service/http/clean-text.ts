/** Text for display: without control and bidirectional characters, with white space collapsed, cut to length. */
export function cleanText(raw: string, maxLength: number): string {
  const text = raw
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.slice(0, maxLength).replace(/\p{Cs}$/u, '');
}

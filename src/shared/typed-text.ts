/** What looks like a hyphen: dashes, minus signs, and the long vowel mark on the hyphen's key of Japanese keyboards. */
const dashes = /[\p{Dash_Punctuation}\u02d7\u2043\u2212\u30fc]/gu;

/** What nobody sees: soft hyphens, joiners, marks of direction, byte order marks, variation selectors. */
const invisible = /[\p{Format}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * What people type or paste, as they mean it: full-width letters as the usual ones (NFKC), the digits of any script as
 * 0 to 9, any dash as a hyphen, white space as one space, and nothing invisible. What they enter is judged and sent
 * only after this.
 */
export function readTyped(text: string): string {
  return text
    .normalize('NFKC')
    .replace(invisible, '')
    .replace(/\p{Nd}/gu, valueOf)
    .replace(dashes, '-')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The digits of a script follow each other, from zero on (The Unicode Standard, 4.6). */
function valueOf(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let zero = point;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return `${(point - zero) % 10}`;
}

/** An email address; Chinese keyboards have a full stop of their own. */
export function readEmail(text: string): string {
  return readTyped(text).replaceAll('。', '.');
}

/** A sign-in code without what separates its digits. */
export function readAuthCode(text: string): string {
  return withoutMarks(readTyped(text));
}

/** A license key as it is sent. */
export function readLicenseKey(text: string): string {
  return readTyped(text).replaceAll(' ', '');
}

/** Only letters and digits. */
export function withoutMarks(text: string): string {
  return text.replace(/[^\p{L}\p{N}]/gu, '');
}

/** Removes what people leave out in a search: case, accents, and the width of characters (Unicode, NFKD). */
export function foldText(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

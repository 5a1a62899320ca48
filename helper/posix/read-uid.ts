/** A user's number. Throws if the text is none. */
export function readUid(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Error(`${text} is not a uid`);
  return Number(text);
}

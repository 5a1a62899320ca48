/** What the text says, or undefined if it is not JSON: a text from outside still has to be checked against a schema. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

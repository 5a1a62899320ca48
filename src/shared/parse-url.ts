interface ParsedUrl {
  protocol: string;
  username: string;
  password: string;
  hostname: string;
  origin: string;
  href: string;
}
// Exists in every browser and in Node (WHATWG URL §6.1). Its `parse` and `canParse` came later.
declare const URL: new (url: string) => ParsedUrl;

/** The parts of an absolute address, or undefined if the text is none. */
export function parseUrl(text: string): ParsedUrl | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

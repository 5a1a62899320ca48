/**
 * Decodes a document as its byte order mark or its declaration says, as libxml2 does; else as its Content-Type says,
 * or else as UTF-8. What is not UTF-8, although nothing says so, is taken for ISO-8859-1, again as libxml2 does.
 */
export function decodeXml(bytes: Uint8Array, contentType: string | undefined): string {
  const start = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const mark = byteOrderMarks.find(([prefix]) => start.startsWith(prefix))?.[1];
  const declared = /^\s*<\?xml\b[^>]*?\sencoding\s*=\s*["']([^"']+)["']/.exec(start)?.[1];
  const typed = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType ?? '')?.[1];
  // A declaration that can be read byte by byte is not in UTF-16, whatever it says (XML 1.0 §4.3.3).
  const named = [mark, /^utf-?16/i.test(declared ?? '') ? 'utf-8' : declared, typed];
  for (const label of named) {
    const decoder = label === undefined ? undefined : decoderOf(label);
    if (decoder) return decoder.decode(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('iso-8859-1').decode(bytes);
  }
}

const byteOrderMarks = [
  ['\xef\xbb\xbf', 'utf-8'],
  ['\xff\xfe', 'utf-16le'],
  ['\xfe\xff', 'utf-16be'],
] as const;

/** Undefined if the encoding is unknown. */
function decoderOf(label: string): TextDecoder | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

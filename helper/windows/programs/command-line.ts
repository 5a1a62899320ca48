/** A word of a command line, as CommandLineToArgvW reads it: backslashes only mean something before quotes. */
export const quoted = (word: string): string =>
  word !== '' && !/[\s"]/.test(word)
    ? word
    : `"${word.replace(/(\\*)"/g, String.raw`$1$1\"`).replace(/(\\+)$/, '$1$1')}"`;

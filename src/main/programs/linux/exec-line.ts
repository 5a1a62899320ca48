/** The values of the field codes of an `Exec` line. */
export interface ExecFields {
  /** The translated name of the program. */
  name: string;
  /** The entry's `Icon`, if it has one. */
  icon: string | undefined;
  /** The path of the entry's file. */
  file: string;
}

/**
 * The arguments of an `Exec` line for starting the program without a file (Desktop Entry Specification 1.5, "The
 * Exec key"). Undefined if the line is invalid: an unterminated quotation, an unknown field code, or no program.
 */
export function parseExec(exec: string, fields: ExecFields): string[] | undefined {
  const words = splitWords(exec);
  if (!words) return undefined;
  const args: string[] = [];
  for (const word of words) {
    const expanded = expand(word, fields);
    if (!expanded) return undefined;
    args.push(...expanded);
  }
  return args[0] ? args : undefined;
}

interface Word {
  text: string;
  isQuoted: boolean;
}

/**
 * Works like GLib's `g_shell_parse_argv`, which desktops use: the specification has only double quotes, but entries
 * with single quotes and backslashes are common (such as those of Wine). Nothing is expanded: no shell ever sees it.
 */
function splitWords(line: string): Word[] | undefined {
  const words: Word[] = [];
  let word: Word | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (/[ \t\n]/.test(sign)) {
      if (word) words.push(word);
      word = undefined;
      continue;
    }
    word ??= { text: '', isQuoted: false };
    if (sign === '\\') {
      at += 1;
      if (at === line.length) return undefined;
      word.text += line.charAt(at);
    } else if (sign === "'" || sign === '"') {
      const quoted = readQuoted(line, at);
      if (!quoted) return undefined;
      word.text += quoted.text;
      word.isQuoted = true;
      at = quoted.end;
    } else {
      word.text += sign;
    }
  }
  if (word) words.push(word);
  return words;
}

/** The text from a quotation mark to the next one of its kind, which is at `end`. */
function readQuoted(line: string, start: number): { text: string; end: number } | undefined {
  const mark = line.charAt(start);
  let text = '';
  for (let at = start + 1; at < line.length; at += 1) {
    const sign = line.charAt(at);
    if (sign === mark) return { text, end: at };
    const next = line.charAt(at + 1);
    if (mark === '"' && sign === '\\' && /["`$\\]/.test(next)) {
      text += next;
      at += 1;
    } else {
      text += sign;
    }
  }
  return undefined;
}

/** The arguments that a word expands to; undefined if it has an unknown code. */
function expand({ text, isQuoted }: Word, { name, icon, file }: ExecFields): string[] | undefined {
  if (!isQuoted && text === '%i') return icon ? ['--icon', icon] : [];
  // No file is opened; the last codes are deprecated and mean nothing.
  if (!isQuoted && /^%[fFuUdDnNvm]$/.test(text)) return [];
  let isKnown = true;
  const expanded = text.replaceAll(/%(.?)/gs, (_, code: string) => {
    if (code === '%') return '%';
    if (code === 'c') return name;
    if (code === 'k') return file;
    if (!/^[fFuUdDnNvmi]$/.test(code)) isKnown = false;
    return '';
  });
  return isKnown ? [expanded] : undefined;
}

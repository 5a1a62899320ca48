import { Parser } from 'htmlparser2';

/** A dictionary of a property list, of the values that resolvers need; other values are kept as `undefined`. */
export type Dictionary = Readonly<Record<string, PropertyValue>>;
export type PropertyValue = string | number | boolean | readonly string[] | undefined;

/** Reads a property list in XML whose outermost value is a dictionary; undefined for others. */
export function readDictionary(xml: string): Dictionary | undefined {
  const found: Record<string, PropertyValue> = Object.create(null) as Record<string, PropertyValue>;
  const open: string[] = [];
  let isDictionary = false;
  let key: string | undefined;
  let text = '';
  let list: string[] | undefined;

  function take(value: PropertyValue): void {
    if (key !== undefined) found[key] = value;
    key = undefined;
  }

  function close(name: string): void {
    const depth = open.length;
    // <plist><dict> NAME, and within an array one more.
    if (depth === 2 && name === 'key') key = text;
    else if (depth === 2 && name === 'string') take(text);
    else if (depth === 2 && name === 'integer') take(Number(text));
    else if (depth === 2 && (name === 'true' || name === 'false')) take(name === 'true');
    else if (depth === 2 && name === 'array') take(list ?? []);
    else if (depth === 2) take(undefined);
    else if (depth === 3 && open[2] === 'array' && name === 'string') list?.push(text);
  }

  const parser = new Parser(
    {
      onopentag(name) {
        if (open.length === 1 && name === 'dict') isDictionary = true;
        if (open.length === 2 && name === 'array') list = [];
        open.push(name);
        text = '';
      },
      ontext(part) {
        text += part;
      },
      onclosetag(name) {
        open.pop();
        close(name);
        text = '';
      },
    },
    { xmlMode: true },
  );
  parser.end(xml);
  return isDictionary ? found : undefined;
}

const head =
  '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n';

export function writeDictionary(
  values: Readonly<Record<string, string | boolean | readonly string[]>>,
): string {
  const entries = Object.entries(values).map(([key, value]) => `<key>${escaped(key)}</key>${valueOf(value)}`);
  return `${head}<plist version="1.0"><dict>${entries.join('')}</dict></plist>\n`;
}

function valueOf(value: string | boolean | readonly string[]): string {
  if (typeof value === 'boolean') return value ? '<true/>' : '<false/>';
  if (typeof value === 'string') return `<string>${escaped(value)}</string>`;
  return `<array>${value.map(valueOf).join('')}</array>`;
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

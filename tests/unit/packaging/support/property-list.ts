import { XMLParser } from 'fast-xml-parser';

/** One tag; what is in it is text or further tags. */
interface Tag {
  [name: string]: Tag[];
}
const textOf = (tag: object | undefined): string => (tag && '#text' in tag ? String(tag['#text']) : '');

/** A property list in XML (plist(5)) as a value; throws on what is no such list. */
export function readPropertyList(xml: string): unknown {
  const parser = new XMLParser({ preserveOrder: true, ignoreDeclaration: true, parseTagValue: false });
  const top = (parser.parse(xml) as Tag[]).find((node) => 'plist' in node);
  return valueOf(top?.['plist']?.[0]);
}

function valueOf(node: Tag | undefined): unknown {
  const [kind = '', inside = []] = Object.entries(node ?? {})[0] ?? [];
  const text = textOf(inside[0]);
  switch (kind) {
    case 'dict':
      return Object.fromEntries(
        inside.flatMap((one, index) =>
          'key' in one ? [[textOf(one['key']?.[0]), valueOf(inside[index + 1])]] : [],
        ),
      );
    case 'array':
      return inside.map((one) => valueOf(one));
    case 'string':
      return text;
    case 'integer':
      return Number(text);
    case 'true':
    case 'false':
      return kind === 'true';
    default:
      throw new Error(`a property list with ${kind}`);
  }
}

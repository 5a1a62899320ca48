import { Parser } from 'htmlparser2';

/** An element or a text node of a gateway's XML. */
export type XmlNode = XmlElement | string;
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

/** Messages of the protocol are not nested this deeply. */
const maxDepth = 32;

/**
 * The root element, or undefined if there is none. Lenient like the reference implementation, because ocserv sends a
 * banner as it was configured, unescaped; but documents that declare entities are refused. The time is proportional to
 * the length of any text: the parser is a state machine, and look-ups by name are limited by the depth.
 */
export function parseXml(text: string): XmlElement | undefined {
  if (/<!ENTITY/i.test(text)) return undefined;
  const document: XmlNode[] = [];
  /** Where the next node belongs: the document, then each open element. */
  const open = [document];
  let isTooDeep = false;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        isTooDeep ||= open.length > maxDepth;
        if (isTooDeep) return parser.pause();
        const children: XmlNode[] = [];
        open.at(-1)?.push({ name, attributes, children });
        open.push(children);
      },
      onclosetag: () => open.pop(),
      ontext: (run) => open.at(-1)?.push(run),
    },
    { xmlMode: true },
  );
  parser.end(text);
  return isTooDeep ? undefined : document.find((node) => typeof node !== 'string');
}

export function writeXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${written(root)}`;
}

export function element(
  name: string,
  attributes: Record<string, string>,
  children: readonly XmlNode[] = [],
): XmlElement {
  return { name, attributes, children };
}

export function childElements(parent: XmlElement, name?: string): XmlElement[] {
  return parent.children.filter(
    (node) => typeof node !== 'string' && (name === undefined || node.name === name),
  ) as XmlElement[];
}

/** All text inside, trimmed. */
export function textOf(node: XmlNode): string {
  const all = (inner: XmlNode): string =>
    typeof inner === 'string' ? inner : inner.children.map(all).join('');
  return all(node).trim();
}

function written(node: XmlNode): string {
  if (typeof node === 'string') return escaped(node);
  const attributes = Object.entries(node.attributes).map(([name, value]) => ` ${name}="${escaped(value)}"`);
  return `<${node.name}${attributes.join('')}>${node.children.map(written).join('')}</${node.name}>`;
}

const references: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => references[character] ?? character);

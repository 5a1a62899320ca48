import { XMLBuilder, XMLParser } from 'fast-xml-parser';

/** An element, or a run of text, of a gateway's XML. */
export type XmlNode = XmlElement | string;
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlNode[];
}

/** fast-xml-parser's shape of a node when the order of children is kept. */
type OrderedNode = Record<string, OrderedNode[] | Record<string, string> | string>;

const shape = { preserveOrder: true, ignoreAttributes: false, attributeNamePrefix: '' } as const;
const parser = new XMLParser({
  ...shape,
  parseTagValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: 32,
  // Character references (&#39;) come with the HTML entities; declared entities never get this far.
  htmlEntities: true,
});
const builder = new XMLBuilder(shape);

/**
 * The root element, or undefined if there is none. Lenient like the reference implementation, because
 * ocserv sends a banner as it was configured, unescaped; but nothing that declares entities is read.
 */
export function parseXml(text: string): XmlElement | undefined {
  if (/<!ENTITY/i.test(text)) return undefined;
  try {
    const nodes = parser.parse(text) as OrderedNode[];
    return nodes.map(fromOrdered).find((node) => typeof node !== 'string');
  } catch {
    return undefined;
  }
}

export function writeXml(root: XmlElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build([toOrdered(root)])}`;
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

function fromOrdered(node: OrderedNode): XmlNode {
  const { ':@': attributes = {}, ...rest } = node;
  const [name = '', content = ''] = Object.entries(rest)[0] ?? [];
  if (!Array.isArray(content)) return typeof content === 'string' ? content : '';
  return { name, attributes: attributes as Record<string, string>, children: content.map(fromOrdered) };
}

function toOrdered(node: XmlNode): OrderedNode {
  if (typeof node === 'string') return { '#text': node };
  return { [node.name]: node.children.map(toOrdered), ':@': { ...node.attributes } };
}

import { childElements, parseXml, textOf, type XmlElement } from '#node/anyconnect/xml.ts';
import type { GivenAttribute } from '../../engine-port.ts';

/** What administrators have added for programs of theirs: names, and text that only those understand. */

const maxAttributes = 16;
const maxValueChars = 1_024;
const nameForm = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const maxNodes = 2_000;

/**
 * The custom attributes in the document of `X-CSTP-Post-Auth-XML`, and nothing else of it: the session's cookie is
 * there, too. They are the elements in each `custom-attr`, wherever that is. Longer values are cut.
 */
export function readCustomAttributes(document: string): GivenAttribute[] {
  const root = parseXml(document);
  const attributes: GivenAttribute[] = [];
  const open: XmlElement[] = root ? [root] : [];
  for (let seen = 0; seen < maxNodes && attributes.length < maxAttributes; seen += 1) {
    const element = open.pop();
    if (!element) break;
    const children = childElements(element);
    if (element.name !== 'custom-attr') {
      open.push(...children.toReversed());
      continue;
    }
    for (const child of children) {
      const value = printable(textOf(child)).slice(0, maxValueChars);
      if (nameForm.test(child.name) && value !== '') attributes.push({ name: child.name, value });
    }
  }
  return attributes.slice(0, maxAttributes);
}

const printable = (text: string) => text.replace(/[^\x20-\x7e]+/g, ' ').trim();

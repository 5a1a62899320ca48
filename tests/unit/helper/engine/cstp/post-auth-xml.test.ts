import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCustomAttributes } from '../../../../../helper/engine/own/cstp/post-auth-xml.ts';

const document = (attributes: string) =>
  `<?xml version="1.0" encoding="UTF-8"?><config-auth client="vpn" type="complete">
    <session-token>3311@secret</session-token>
    <config client="vpn" type="private"><opaque is-for="vpn-client">
      <custom-attr>${attributes}</custom-attr></opaque></config></config-auth>`;

test('custom attributes are read, and nothing else of the document', () => {
  expect(
    readCustomAttributes(
      document(
        `<dynamic-split-exclude-domains><![CDATA[a.example,b.example,]]></dynamic-split-exclude-domains>
         <DeferredUpdateAllowed>true &amp; more</DeferredUpdateAllowed><empty/>`,
      ),
    ),
  ).toEqual([
    { name: 'dynamic-split-exclude-domains', value: 'a.example,b.example,' },
    { name: 'DeferredUpdateAllowed', value: 'true & more' },
  ]);
  expect(readCustomAttributes(document(''))).toEqual([]);
});

test.each([
  ['too many', '<a>1</a>'.repeat(40), 16, 1],
  ['one that is long', `<a>${'x'.repeat(5_000)}</a>`, 1, 1_024],
])('%s: what is read has a limit', (_what, attributes, count, length) => {
  const read = readCustomAttributes(document(attributes));
  expect([read.length, read[0]?.value.length]).toEqual([count, length]);
});

test.each([
  ['entities', `<!DOCTYPE a [<!ENTITY b "c">]>${document('<a>&b;</a>')}`],
  ['no XML', 'HTTP/1.1 200 OK'],
  ['nothing', ''],
  ['too deep', `${'<a>'.repeat(2_000)}<custom-attr><b>1</b></custom-attr>`],
])('%s: none', (_what, text) => {
  expect(readCustomAttributes(text)).toEqual([]);
});

test('whatever comes, it is bounded, printable, and ends', () => {
  const parts = [
    '<custom-attr>',
    '</custom-attr>',
    '<a>',
    '</a>',
    '<![CDATA[',
    ']]>',
    '&#0;',
    '\x01',
    'é',
    '<',
  ];
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...parts), fc.string()), { maxLength: 200 }), (words) => {
      const read = readCustomAttributes(words.join(''));
      expect(read.length).toBeLessThanOrEqual(16);
      for (const { name, value } of read) {
        expect(name).toMatch(/^[A-Za-z][A-Za-z0-9._-]{0,63}$/);
        expect(value).toMatch(/^[\x20-\x7e]{1,1024}$/);
      }
    }),
  );
});

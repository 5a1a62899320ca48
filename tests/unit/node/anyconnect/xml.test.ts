import { expect, test } from 'vitest';
import { waitLimit } from '../../../lab/runs/wait-limit.ts';
import { childElements, element, parseXml, textOf, writeXml } from '#node/anyconnect/xml.ts';

/** Many times what is read of a gateway. What takes quadratic time takes minutes with it. */
const size = 1024 * 1024;
const fill = (part: string, from = '', to = '') =>
  from + part.repeat((size - from.length - to.length) / part.length) + to;

const hostile: [string, string][] = [
  ['nothing but <', fill('<')],
  ['elements without an end', fill('<a>')],
  ['ends without an element', fill('</a>', '<r>')],
  ['many elements inside one with a long name', fill('<b/>', `<${'a'.repeat(size / 2)}>`)],
  ['many elements of a long name', fill(`<${'a'.repeat(1000)}/>`, '<r>')],
  ['siblings', fill('<a/>', '<r>', '</r>')],
  ['text between siblings', fill('x<a/>', '<r>', '</r>')],
  ['attributes', `<r ${Array.from({ length: size / 12 }, (_, index) => `a${index}="1"`).join(' ')}/>`],
  ['attributes without an end', fill('a="', '<r ')],
  ['equals signs', fill('=', '<r ', '/>')],
  ['blanks', fill(' ', '<r a', '/>')],
  ['ampersands', fill('&', '<r>', '</r>')],
  ['references', fill('&amp;', '<r>', '</r>')],
  ['a reference without an end', fill('1', '<r>&#', '</r>')],
  ['comments without an end', fill('<!--', '<r>')],
  ['character data without an end', fill('<![CDATA[', '<r>')],
  ['instructions', fill('<?a ', '<r>')],
  ['declarations', fill('<!DOCTYPE a [')],
];

test.each(hostile)('%s: read or refused in linear time', { timeout: waitLimit(20_000) }, (_what, text) => {
  const root = parseXml(text);
  if (root) expect(textOf(root).length).toBeLessThanOrEqual(size);
});

test('what is nested too deeply is refused, whatever is around it', () => {
  const nested = (depth: number) => `${'<a>'.repeat(depth)}x${'</a>'.repeat(depth)}`;
  expect(parseXml(`<r>${nested(20)}${nested(20)}</r>`)).toBeDefined();
  expect(parseXml(`<r>${nested(40)}</r>`)).toBeUndefined();
  expect(parseXml(`<r>${nested(40)}`)).toBeUndefined();
});

test('what ocserv sends unescaped does not spoil what is around it', () => {
  const root = parseXml(
    '<auth><banner>Tom & <Jerry> say &lt;hi&gt; &#39;&amp;</banner><message>M</message></auth>',
  );
  const [banner, message] = root ? childElements(root) : [];
  expect(banner && textOf(banner)).toBe("Tom &  say <hi> '&");
  expect(message && textOf(message)).toBe('M');
});

test('what is written is read again as it was', () => {
  const text = `<&>"' \u00e9\u{1f600} ]]> &amp;`;
  const root = element('a', { b: text }, [element('c', {}, [text]), element('d', {})]);
  expect(parseXml(writeXml(root))).toEqual({
    ...root,
    children: [{ ...element('c', {}), children: expect.any(Array) }, element('d', {})],
  });
  const [c] = childElements(parseXml(writeXml(root)) ?? root, 'c');
  expect(c && textOf(c)).toBe(text);
});

test.each(['', 'text only', '<', '<!DOCTYPE a>', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'])(
  '%j has no root',
  (text) => {
    expect(parseXml(text)).toBeUndefined();
  },
);

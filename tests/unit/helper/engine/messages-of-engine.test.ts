import { expect, test } from 'vitest';
import { createHeadReader } from '../../../../helper/engine/own/cstp/answer-head.ts';
import { readConnectAnswer } from '../../../../helper/engine/own/cstp/connect-answer.ts';
import { givenConfigurationOf, termsOf } from '../../../../helper/engine/own/process/given-configuration.ts';
import { engineMessages, maxMessageBytes } from '../../../../helper/engine/own/process/messages.ts';

/** The helper ends an engine that sends anything else, or more, and takes it for one that misbehaves. */
test.each([
  ['characters that cannot be seen', '\x01'],
  ['quotation marks', '"'],
  ['characters of two bytes', 'ÿ'],
])(
  'whatever a gateway says in %s, what the helper is told of it is within its limits',
  (_what, character) => {
    const many = (count: number, line: (index: number) => string) =>
      Array.from({ length: count }, (_none, index) => line(index));
    const attribute = (index: number) => `<a${index}>${character.repeat(2_000)}</a${index}>`;
    const head = createHeadReader()(
      Buffer.from(
        [
          'HTTP/1.1 200 OK',
          'X-CSTP-Address: 192.0.2.7',
          `X-CSTP-Banner: ${character.repeat(4_096)}`,
          ...many(200, () => `X-CSTP-Split-DNS: ${character.repeat(253)}`),
          ...many(200, () => `X-CSTP-Default-Domain: ${character.repeat(253)}`),
          ...many(200, () => `X-CSTP-DNS: ${character.repeat(64)}`),
          `X-CSTP-Post-Auth-XML: <c><custom-attr>${many(20, attribute).join('')}</custom-attr></c>`,
          '',
          '',
        ].join('\r\n'),
        'latin1',
      ),
    );
    const read = head.kind === 'complete' ? readConnectAnswer(head.head) : undefined;
    if (!read?.ok) throw new Error('not read');
    const messages = {
      terms: termsOf(read.answer),
      configuration: givenConfigurationOf(read.answer, 1_400, false),
    };
    for (const name of ['terms', 'configuration'] as const) {
      const message = { jsonrpc: '2.0', id: 1_000_000, method: name, params: messages[name] };
      expect(engineMessages[name].safeParse(messages[name]).success).toBe(true);
      expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(maxMessageBytes.withoutRoutes);
    }
  },
);

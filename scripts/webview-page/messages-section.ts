import { format } from 'node:util';
import * as z from 'zod/mini';
import { webviewContract } from '#shared/host/webview-contract.ts';
import { messageNotes, type MessageNote } from './messages.ts';

export const sectionBegin = '<!-- messages: written by `node scripts/webview-page/write.ts`, do not edit -->';
export const sectionEnd = '<!-- messages: end -->';

type Descriptor =
  | { direction: 'request'; input: z.ZodMiniType; output: z.ZodMiniType }
  | { direction: 'event'; payload: z.ZodMiniType };

/** Every message of the webview contract with its note, its schemas and an exchange, in Markdown. */
export function messagesSection(): string {
  const parts = Object.entries(webviewContract).flatMap(([group, descriptors]) =>
    Object.entries(descriptors).map(([name, descriptor]: [string, Descriptor]) =>
      describeMessage(`${group}.${name}`, descriptor),
    ),
  );
  return [sectionBegin, ...parts, sectionEnd].join('\n\n');
}

function describeMessage(channel: string, descriptor: Descriptor): string {
  const notes: Record<string, MessageNote> = messageNotes;
  const note = notes[channel];
  if (!note) throw new Error(`no note on ${channel}`);
  const isRequest = descriptor.direction === 'request';
  const schemas = isRequest
    ? [
        isNothing(descriptor.input) ? 'No parameters.' : schemaBlock('Parameter', descriptor.input),
        schemaBlock('Result', descriptor.output),
      ]
    : [schemaBlock('Parameter', descriptor.payload)];
  return [
    format('### `%s` (%s)', channel, isRequest ? 'request' : 'event, from the app'),
    note.text,
    codeBlock(isRequest ? exchange(channel, note) : [`← ${eventText(channel, note)}`]),
    ...schemas,
  ].join('\n\n');
}

function exchange(channel: string, { input, output }: MessageNote): string[] {
  const params = input === undefined ? {} : { params: [input] };
  return [
    `→ ${JSON.stringify({ jsonrpc: '2.0', id: 1, method: channel, ...params })}`,
    `← ${JSON.stringify({ jsonrpc: '2.0', id: 1, result: output })}`,
  ];
}

function eventText(channel: string, { output }: MessageNote): string {
  return JSON.stringify({ jsonrpc: '2.0', method: channel, params: [output] });
}

function schemaBlock(title: string, schema: z.ZodMiniType): string {
  const { $schema: _, ...plain } = z.toJSONSchema(schema, { io: 'input' });
  const text = JSON.stringify(plain, null, 2);
  const short = JSON.stringify(plain);
  if (short.length <= 100) return `${title}: \`${short}\``;
  return `<details><summary>${title} (JSON Schema)</summary>\n\n\`\`\`json\n${text}\n\`\`\`\n\n</details>`;
}

function isNothing(schema: z.ZodMiniType): boolean {
  return schema.safeParse(undefined).success && !schema.safeParse(null).success;
}

function codeBlock(lines: string[]): string {
  return ['```', ...lines, '```'].join('\n');
}

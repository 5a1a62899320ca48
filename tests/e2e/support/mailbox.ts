import { z } from 'zod';
import { eventually } from '../../lab/process.ts';

const messages = z.array(
  z.object({ id: z.string(), to: z.array(z.string()), subject: z.string(), text: z.string() }),
);

/** Reads mail as a person does: the text of the newest message, over the mail box's own protocol. */
export interface Mailbox {
  count(to: string): Promise<number>;
  /** Waits until more than `after` messages have come; the newest one's text. */
  newest(to: string, after?: number): Promise<string>;
  /** The six digits that stand in that text. */
  code(to: string, after?: number): Promise<string>;
}

export function openMailbox(url: string): Mailbox {
  async function list(to: string) {
    const reply = await fetch(`${url}/messages?to=${encodeURIComponent(to)}`);
    return messages.parse(await reply.json());
  }
  async function newest(to: string, after = 0): Promise<string> {
    await eventually(`mail to ${to}`, async () => (await list(to)).length > after || undefined);
    return (await list(to))[0]?.text ?? '';
  }
  return {
    count: async (to) => (await list(to)).length,
    newest,
    async code(to, after) {
      const text = await newest(to, after);
      const [code] = /\b\d{6}\b/.exec(text) ?? [];
      if (code === undefined) throw new Error(`no code in: ${text}`);
      return code;
    },
  };
}

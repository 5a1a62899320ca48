import { z } from 'zod';
import { eventually } from '../../../lab/runs/process.ts';

const messages = z.array(z.object({ text: z.string() }));

/** Reads mail as a person does, over the mailbox's own protocol. */
export interface Mailbox {
  count(to: string): Promise<number>;
  /** Waits for a message, and gives the newest one's text. */
  newest(to: string): Promise<string>;
  countCodes(to: string): Promise<number>;
  /** Waits until more than `after` messages with a code have come; the newest code, of six digits. */
  code(to: string, after?: number): Promise<string>;
}

export function openMailbox(url: string): Mailbox {
  /** Newest first. */
  async function texts(to: string): Promise<string[]> {
    const reply = await fetch(`${url}/messages?to=${encodeURIComponent(to)}`);
    return messages.parse(await reply.json()).map(({ text }) => text);
  }
  // Other mails, such as invitations, come at their own time.
  const codes = async (to: string) => (await texts(to)).flatMap((text) => /^\d{6}$/m.exec(text)?.[0] ?? []);
  return {
    count: async (to) => (await texts(to)).length,
    newest: (to) => eventually(`mail to ${to}`, async () => (await texts(to))[0]),
    countCodes: async (to) => (await codes(to)).length,
    code: (to, after = 0) =>
      eventually(`a code for ${to}`, async () => {
        const [newest, ...before] = await codes(to);
        return before.length >= after ? newest : undefined;
      }),
  };
}

/** What place-process.ts is asked, a line of JSON each, and what it says. */
export interface AskLine {
  id: number;
  /** Whom to ask; if absent, it is to send once more as it does all the time. */
  host?: string;
  proxy?: string | undefined;
  /** Whether an answer has to come, however long it takes. */
  isAnswered?: boolean;
}

export interface SeenLine {
  id: number;
  /** What the host answered; empty if nothing came back, or nobody was asked. */
  reply: string;
}

export const portOf = (address: string): number => Number(address.split(':').at(-1));

import { isOwnPage } from './page-address.ts';

/** The part of Electron's `WebFrameMain` that identifies the sender of a message. */
export interface SenderFrame {
  readonly url: string;
  readonly parent: object | null;
}

/**
 * Whether a message comes from the top frame of one of our windows while it shows one of our own pages.
 * https://www.electronjs.org/docs/latest/tutorial/security#17-validate-the-sender-of-all-ipc-messages
 */
export function isPageSender(
  sender: { isPageWindow: boolean; frame: SenderFrame | null },
  developmentUrl?: string,
): boolean {
  return (
    sender.isPageWindow &&
    sender.frame !== null &&
    sender.frame.parent === null &&
    isOwnPage(sender.frame.url, developmentUrl)
  );
}

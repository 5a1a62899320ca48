/** A received mail, as `GET /messages` returns it. */
export interface MailboxMessage {
  id: string;
  /** When it was received, ISO 8601. */
  receivedAt: string;
  from: string;
  /** The recipients of the SMTP envelope. */
  to: string[];
  subject: string;
  text: string;
  html: string;
}

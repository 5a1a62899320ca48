import { html } from '../http/html.ts';
import type { MailboxMessage } from './mailbox.ts';

/** The development mail box for people: every message as plain text, newest first; it reloads itself. */
export function mailboxPage(messages: readonly MailboxMessage[]): string {
  const articles = messages.map(
    (message) =>
      html`<article>
        <h2>${message.subject}</h2>
        <p>To ${message.to.join(', ')} · <time>${message.receivedAt}</time></p>
        <pre>${message.text}</pre>
      </article>`,
  );
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta http-equiv="refresh" content="3" />
        <title>Waymaker development mail box</title>
        <style>
          :root {
            color-scheme: light dark;
            font-family: system-ui, sans-serif;
          }
          body {
            margin: 2rem auto;
            max-width: 42rem;
            padding: 0 1rem;
          }
          article {
            border-top: 1px solid;
          }
          pre {
            font-size: 1.1rem;
            white-space: pre-wrap;
          }
        </style>
      </head>
      <body>
        <h1>Development mail box</h1>
        <p>Mail that the service sent, newest first. Nothing leaves this machine.</p>
        ${articles.length > 0 ? articles : html`<p>No mail yet.</p>`}
      </body>
    </html> `.markup;
}

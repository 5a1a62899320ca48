import { html } from '../http/html.ts';
import type { MailboxMessage } from './mailbox-message.ts';

/** The development mailbox's page: all messages as plain text, newest first; it reloads itself. */
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
        <title>Waymaker development mailbox</title>
        <style>
          :root {
            color-scheme: light dark;
            font:
              1rem/1.5 system-ui,
              sans-serif;
            background: light-dark(#f5f7f5, #0e1412);
            color: light-dark(#13201b, #e8efec);
          }
          body {
            margin: 2rem auto;
            max-width: 42rem;
            padding: 0 1rem;
          }
          h1 {
            font-size: 1.625rem;
            letter-spacing: -0.015em;
          }
          article {
            margin-top: 1rem;
            padding: 1.25rem 1.5rem;
            border: 1px solid light-dark(#e0e6e2, #2a3631);
            border-radius: 16px;
            background: light-dark(#ffffff, #161e1b);
          }
          h2 {
            margin: 0;
            font-size: 1.1875rem;
          }
          p {
            margin: 0.25rem 0 0;
            color: light-dark(#54635c, #a0b1aa);
          }
          pre:last-child {
            margin-bottom: 0;
          }
          pre {
            font-size: 1.1rem;
            white-space: pre-wrap;
          }
        </style>
      </head>
      <body>
        <h1>Development mailbox</h1>
        <p>Mail that the service sent, newest first. Nothing leaves this machine.</p>
        ${articles.length > 0 ? articles : html`<p>No mail yet.</p>`}
      </body>
    </html> `.markup;
}

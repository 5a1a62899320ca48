import type { MailboxMessage } from './mailbox.ts';

const replacements: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML content or attribute value. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => replacements[character] ?? '');
}

/** The development mail box for people: every message as plain text, newest first; it loads itself anew. */
export function mailboxPage(messages: readonly MailboxMessage[]): string {
  const articles = messages.map(
    (message) => `<article>
<h2>${escapeHtml(message.subject)}</h2>
<p>To ${escapeHtml(message.to.join(', '))} · <time>${escapeHtml(message.receivedAt)}</time></p>
<pre>${escapeHtml(message.text)}</pre>
</article>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="3">
<title>Waymaker development mail box</title>
<style>
:root { color-scheme: light dark; font-family: system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 42rem; padding: 0 1rem; }
article { border-top: 1px solid; }
pre { font-size: 1.1rem; white-space: pre-wrap; }
</style>
</head>
<body>
<h1>Development mail box</h1>
<p>Mail that the service sent, newest first. Nothing leaves this machine.</p>
${articles.join('\n') || '<p>No mail yet.</p>'}
</body>
</html>
`;
}

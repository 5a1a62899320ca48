import type { Language } from '#shared/entities.ts';
import { languageTags } from '#shared/language.ts';
import { html, type Html } from '../http/html.ts';
import { storeText } from './store-texts.ts';

/** A page of the store: text around `content`, no scripts. `isSandbox` pages say that no money is taken. */
export function storePage(page: {
  language: Language;
  title: string;
  content: Html;
  isSandbox?: boolean;
}): string {
  const t = storeText(page.language);
  return html`<!doctype html>
    <html lang="${languageTags[page.language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${page.title} · Waymaker</title>
        <link rel="icon" type="image/svg+xml" href="/store/mark.svg" />
        <link rel="stylesheet" href="/store/style.css" />
      </head>
      <body>
        <header>
          <img src="/store/mark.svg" width="28" height="28" alt="" />
          <span>Waymaker</span>
        </header>
        <main>
          ${page.isSandbox === true && html`<p class="sandbox">${t('sandbox')}</p>`}
          <h1>${page.title}</h1>
          ${page.content}
        </main>
        <footer>
          <nav aria-label="${t('navigation')}">
            <a href="/store/purchase">${t('purchase.title')}</a>
            <a href="/store/events">${t('events.title')}</a>
            <a href="/store/privacy">${t('privacy.title')}</a>
          </nav>
        </footer>
      </body>
    </html> `.markup;
}

import type { Language } from '#shared/entities.ts';
import { languageTags } from '#shared/language.ts';
import { html, type Html } from '../http/html.ts';

/**
 * The pages' light accent colour (src/renderer/ui/theme/theme.css), with white text on it; it works on light and dark
 * mail backgrounds.
 */
export const accent = '#0a7560';
export const onAccent = '#ffffff';

/** The common frame of all mails of the service. */
export function mailFrame(
  { subject, language }: { subject: string; language: Language },
  content: Html,
): string {
  return html`<!doctype html>
    <html lang="${languageTags[language]}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <title>${subject}</title>
      </head>
      <body
        style="margin: 0; padding: 24px 16px; font: 16px/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif"
      >
        <div style="max-width: 480px; margin: 0 auto">
          <p style="margin: 0 0 24px; font-weight: bold">
            <span
              aria-hidden="true"
              style="display: inline-block; width: 28px; margin-right: 8px; border-radius: 8px; background: ${accent}; color: ${onAccent}; line-height: 28px; text-align: center"
              >W</span
            >Waymaker
          </p>
          ${content}
        </div>
      </body>
    </html> `.markup;
}

const replacements: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML content or an attribute value. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => replacements[character] ?? '');
}

/** Markup. Only `html` creates it, so that text never becomes markup without being escaped. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** A template for markup. Values are escaped unless they are markup; false becomes nothing. */
export function html(
  strings: TemplateStringsArray,
  ...values: (string | number | false | Html | readonly Html[])[]
): Html {
  const parts = strings.map(
    (literal, index) => literal + (index < values.length ? markupOf(values[index]) : ''),
  );
  return new Html(parts.join(''));
}

function markupOf(value: string | number | false | Html | readonly Html[] | undefined): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'object') return value.map(({ markup }) => markup).join('\n');
  return escapeHtml(String(value));
}

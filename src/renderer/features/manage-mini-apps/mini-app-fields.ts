import { appEntryDraft, type AppEntry, type AppEntryDraft, type AppType } from '#shared/entities.ts';
import { webAddress } from '#shared/host/web-address.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { readTyped } from '#shared/typed-text.ts';

/** The form's content, valid or not. */
export interface AppFields {
  name: string;
  type: AppType;
  link: string;
  icon: string;
  priority: string;
  requireLabels: readonly string[];
  /** A label that was typed, but not added to the others yet. */
  newLabel: string;
}
export type AppFieldName = keyof AppEntryDraft;

export const emptyAppFields: AppFields = {
  name: '',
  type: 'browser',
  link: '',
  icon: '',
  priority: '0',
  requireLabels: [],
  newLabel: '',
};

export function fieldsOf(app: AppEntry): AppFields {
  const { name, type, link, icon, priority, requireLabels } = app;
  return { name, type, link, icon, priority: String(priority), requireLabels, newLabel: '' };
}

/** The error message of each field (specification §5). */
const messages: Record<AppFieldName, TextKey> = {
  name: 'appForm.nameMissing',
  type: 'error.appSave',
  link: 'appForm.linkInvalid',
  icon: 'appForm.iconUnreadable',
  priority: 'appForm.priorityRange',
  requireLabels: 'error.appSave',
};

export type AppFieldErrors = Partial<Record<AppFieldName, TextKey>>;

/** The entry in the fields, or what is wrong with them. */
export function readAppFields(
  fields: AppFields,
): { ok: true; draft: AppEntryDraft } | { ok: false; errors: AppFieldErrors } {
  const { name, type, icon } = fields;
  const priority = readTyped(fields.priority);
  const parsed = appEntryDraft.safeParse({
    name,
    type,
    icon,
    link: fields.link.trim(),
    requireLabels: allLabels(fields),
    // `Number('')` is 0, and `Number('1e2')` is 100: only digits count as an integer that somebody typed.
    priority: /^\d+$/.test(priority) ? Number(priority) : Number.NaN,
  });
  // Not everything that begins with `http` is an address that can be opened.
  if (parsed.success && webAddress(parsed.data.link) !== undefined) return { ok: true, draft: parsed.data };
  const errors: AppFieldErrors = {};
  if (parsed.success) return { ok: false, errors: { link: messages.link } };
  for (const { path } of parsed.error.issues) {
    const [field] = path;
    if (isFieldName(field)) errors[field] = messages[field];
  }
  return { ok: false, errors };
}

/** All labels including those that are being typed or were pasted, with any comma between them; without duplicates. */
export function allLabels({ requireLabels, newLabel }: Pick<AppFields, 'requireLabels' | 'newLabel'>) {
  const typed = newLabel.split(/[,，、]/).map((label) => label.trim());
  return [...new Set([...requireLabels, ...typed])].filter((label) => label !== '');
}

function isFieldName(name: PropertyKey | undefined): name is AppFieldName {
  return name !== undefined && Object.hasOwn(messages, name);
}

import { appEntryDraft, type AppEntry, type AppEntryDraft, type AppType } from '#shared/entities.ts';
import type { TextKey } from '../../i18n/texts.ts';

/** What stands in the form, valid or not. */
export interface AppFields {
  name: string;
  type: AppType;
  link: string;
  icon: string;
  priority: string;
  requireLabels: readonly string[];
}
export type AppFieldName = keyof AppFields;

export const emptyAppFields: AppFields = {
  name: '',
  type: 'browser',
  link: '',
  icon: '',
  priority: '0',
  requireLabels: [],
};

export function fieldsOf(app: AppEntry): AppFields {
  const { name, type, link, icon, priority, requireLabels } = app;
  return { name, type, link, icon, priority: String(priority), requireLabels };
}

/** What each field says when it is wrong (specification §5). */
const messages: Record<AppFieldName, TextKey> = {
  name: 'appForm.nameMissing',
  type: 'error.appSave',
  link: 'appForm.linkInvalid',
  icon: 'appForm.iconUnreadable',
  priority: 'appForm.priorityRange',
  requireLabels: 'error.appSave',
};

export type AppFieldErrors = Partial<Record<AppFieldName, TextKey>>;

/** The entry that the fields make, or what is wrong with them. */
export function readAppFields(
  fields: AppFields,
): { ok: true; draft: AppEntryDraft } | { ok: false; errors: AppFieldErrors } {
  const parsed = appEntryDraft.safeParse({
    ...fields,
    link: fields.link.trim(),
    // `Number('')` is 0, and `Number('1e2')` is 100: only digits are an integer that somebody typed.
    priority: /^\d+$/.test(fields.priority.trim()) ? Number(fields.priority) : Number.NaN,
  });
  if (parsed.success) return { ok: true, draft: parsed.data };
  const errors: AppFieldErrors = {};
  for (const { path } of parsed.error.issues) {
    const [name] = path;
    if (isFieldName(name)) errors[name] = messages[name];
  }
  return { ok: false, errors };
}

function isFieldName(name: PropertyKey | undefined): name is AppFieldName {
  return name !== undefined && Object.hasOwn(messages, name);
}

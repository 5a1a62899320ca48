import { miniAppDraft, type MiniApp, type MiniAppDraft, type MiniAppType } from '#shared/entities.ts';
import { webAddress } from '#shared/host/web-address.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { readTyped } from '#shared/typed-text.ts';

/** The form's content, valid or not. */
export interface MiniAppFields {
  name: string;
  type: MiniAppType;
  link: string;
  icon: string;
  priority: string;
  requireLabels: readonly string[];
  /** A label that was typed, but not added to the others yet. */
  newLabel: string;
}
export type MiniAppFieldName = keyof MiniAppDraft;

export const emptyMiniAppFields: MiniAppFields = {
  name: '',
  type: 'browser',
  link: '',
  icon: '',
  priority: '0',
  requireLabels: [],
  newLabel: '',
};

export function fieldsOf(miniApp: MiniApp): MiniAppFields {
  const { name, type, link, icon, priority, requireLabels } = miniApp;
  return { name, type, link, icon, priority: String(priority), requireLabels, newLabel: '' };
}

/** The error message of each field (specification §5). */
const messages: Record<MiniAppFieldName, TextKey> = {
  name: 'appForm.nameMissing',
  type: 'error.appSave',
  link: 'appForm.linkInvalid',
  icon: 'appForm.iconUnreadable',
  priority: 'appForm.priorityRange',
  requireLabels: 'error.appSave',
};

export type MiniAppFieldErrors = Partial<Record<MiniAppFieldName, TextKey>>;

/** The mini-app in the fields, or what is wrong with them. */
export function readMiniAppFields(
  fields: MiniAppFields,
): { ok: true; draft: MiniAppDraft } | { ok: false; errors: MiniAppFieldErrors } {
  const { name, type, icon } = fields;
  const priority = readTyped(fields.priority);
  const parsed = miniAppDraft.safeParse({
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
  const errors: MiniAppFieldErrors = {};
  if (parsed.success) return { ok: false, errors: { link: messages.link } };
  for (const { path } of parsed.error.issues) {
    const [field] = path;
    if (isFieldName(field)) errors[field] = messages[field];
  }
  return { ok: false, errors };
}

/** All labels including those that are being typed or were pasted, with any comma between them; without duplicates. */
export function allLabels({ requireLabels, newLabel }: Pick<MiniAppFields, 'requireLabels' | 'newLabel'>) {
  const typed = newLabel.split(/[,，、]/).map((label) => label.trim());
  return [...new Set([...requireLabels, ...typed])].filter((label) => label !== '');
}

function isFieldName(name: PropertyKey | undefined): name is MiniAppFieldName {
  return name !== undefined && Object.hasOwn(messages, name);
}

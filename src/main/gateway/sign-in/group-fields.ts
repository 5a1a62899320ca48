import { isGroup } from './auth-answers.ts';
import type { AuthField, AuthForm } from './auth-form.ts';

/**
 * The form as it is for one group: which fields a group needs, and what they are called, is said beside its name
 * (openconnect's library.c, process_auth_form). Fields that it does not need are sent empty. `group`: its value, or the
 * one that the gateway has selected.
 */
export function formOfGroup(form: AuthForm, group: string | undefined): AuthForm {
  const field = form.fields.find(isGroup);
  if (field?.kind !== 'select') return form;
  const choice =
    field.choices.find(({ value }) => value === group) ??
    field.choices.find(({ value }) => value === field.selected);
  if (!choice) return form;
  const { needs, override } = choice;
  const hidden = (name: string, value: string): AuthField => ({ kind: 'hidden', name, value });

  function ofGroup(each: AuthField): AuthField {
    if (each.kind !== 'text' && each.kind !== 'password') return each;
    if (needs === 'nothing' || (needs === 'first' && each.secondAuth)) return hidden(each.name, '');
    const user = each.secondAuth && each.name === 'secondary_username' ? choice?.secondaryUser : undefined;
    if (user && !user.editable) return hidden(each.name, user.name);
    const label = override?.name === each.name ? override.label : each.label;
    return { ...each, label, ...(user && { preset: user.name }) };
  }

  return { ...form, fields: form.fields.map(ofGroup) };
}

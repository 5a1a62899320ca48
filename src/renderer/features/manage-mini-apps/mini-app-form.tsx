import { Button, TextInput } from '@mantine/core';
import { useRef, useState, type FormEvent } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import type { MiniAppDraft } from '#shared/entities.ts';
import formClasses from '../../ui/forms/form.module.css';
import { keepFocus } from '../../ui/focus/keep-focus.ts';
import { readMiniAppFields, type MiniAppFieldName, type MiniAppFields } from './mini-app-fields.ts';
import { IconField } from './icon-field.tsx';
import { LabelsField } from './labels-field.tsx';
import { TypeField } from './type-field.tsx';
import { Link } from '../../ui/text/link.tsx';

interface MiniAppFormProps {
  initial: MiniAppFields;
  submitText: string;
  busy: boolean;
  cancelTo: string;
  onSubmit: (draft: MiniAppDraft) => void;
}

/** The fields of a mini-app. A field shows its error once the user has left it or tried to save. */
export function MiniAppForm({ initial, submitText, busy, cancelTo, onSubmit }: MiniAppFormProps) {
  const { t } = useTranslation();
  const form = useRef<HTMLFormElement>(null);
  const [fields, setFields] = useState(initial);
  const [touched, setTouched] = useState<ReadonlySet<MiniAppFieldName> | 'all'>(new Set<MiniAppFieldName>());
  const read = readMiniAppFields(fields);

  const change = (changed: Partial<MiniAppFields>) => setFields((now) => ({ ...now, ...changed }));
  const touch = (name: MiniAppFieldName) =>
    setTouched((names) => (names === 'all' ? names : new Set([...names, name])));
  const errorOf = (name: MiniAppFieldName) => {
    const key = !read.ok && (touched === 'all' || touched.has(name)) && read.errors[name];
    return key ? t(key) : undefined;
  };
  const textField = (name: 'name' | 'link' | 'priority') => ({
    size: 'md' as const,
    name: `mini-app-${name}`,
    autoComplete: 'off',
    withAsterisk: false,
    value: fields[name],
    onChange: (event: { currentTarget: HTMLInputElement }) => change({ [name]: event.currentTarget.value }),
    onBlur: () => touch(name),
    error: errorOf(name),
  });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    if (read.ok) {
      onSubmit(read.draft);
      return;
    }
    flushSync(() => setTouched('all'));
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  };
  return (
    <form ref={form} className={formClasses.form} onSubmit={submit} noValidate>
      <IconField
        icon={fields.icon}
        name={fields.name}
        error={errorOf('icon')}
        onChange={(icon) => change({ icon })}
      />
      <TextInput label={t('appForm.name')} required maxLength={64} {...textField('name')} />
      <TypeField type={fields.type} onChange={(type) => change({ type })} />
      <TextInput
        label={t('appForm.link')}
        type="url"
        inputMode="url"
        spellCheck={false}
        placeholder="https://"
        required
        maxLength={2048}
        {...textField('link')}
      />
      <TextInput
        label={t('appForm.priority')}
        description={t('appForm.priorityHint')}
        inputMode="numeric"
        maxLength={8}
        {...textField('priority')}
      />
      <LabelsField fields={fields} onChange={change} />
      <div className={formClasses.actions}>
        <Button type="submit" loading={busy} onMouseDown={keepFocus}>
          {submitText}
        </Button>
        <Button component={Link} to={cancelTo} variant="default">
          {t('appForm.cancel')}
        </Button>
      </div>
    </form>
  );
}

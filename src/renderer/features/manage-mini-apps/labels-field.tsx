import { TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useRef, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { isForInputMethod } from '../../ui/forms/is-for-input-method.ts';
import { allLabels, type MiniAppFields } from './mini-app-fields.ts';
import classes from './mini-app-form.module.css';

interface LabelsFieldProps {
  fields: LabelFields;
  onChange: (fields: LabelFields) => void;
}
type LabelFields = Pick<MiniAppFields, 'requireLabels' | 'newLabel'>;

/** The service's limits (`miniAppDraft`). */
const maxLabels = 32;
const maxLength = 64;

/** Labels as tags: typed, and added with Enter or a comma; each has a button to remove it. */
export function LabelsField({ fields, onChange }: LabelsFieldProps) {
  const { t } = useTranslation();
  const field = useRef<HTMLInputElement>(null);
  const { requireLabels: labels, newLabel } = fields;

  const onKeyDown = (event: KeyboardEvent) => {
    if (isForInputMethod(event) || (event.key !== 'Enter' && event.key !== ',')) return;
    // In an empty field, Enter saves the form, as in any other field.
    if (event.key === 'Enter' && newLabel.trim() === '') return;
    event.preventDefault();
    onChange({ requireLabels: allLabels(fields), newLabel: '' });
  };
  return (
    <div>
      <TextInput
        label={t('appForm.labels')}
        description={t('appForm.labelsHint')}
        size="md"
        name="mini-app-label"
        autoComplete="off"
        maxLength={maxLength}
        disabled={labels.length >= maxLabels}
        ref={field}
        value={newLabel}
        onChange={(event) => onChange({ requireLabels: labels, newLabel: event.currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      {labels.length > 0 && (
        <ul role="list" className={classes.labels} aria-label={t('appForm.labels')}>
          {labels.map((present) => (
            <li key={present} className={classes.label}>
              {present}
              <button
                type="button"
                className={classes.removeLabel}
                aria-label={t('appForm.labelRemove', { label: present })}
                onClick={() => {
                  onChange({ requireLabels: labels.filter((other) => other !== present), newLabel });
                  field.current?.focus();
                }}
              >
                <IconX size={14} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

import { TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import formClasses from '../../ui/form.module.css';
import classes from './apps.module.css';

interface LabelsFieldProps {
  labels: readonly string[];
  onChange: (labels: readonly string[]) => void;
}

/** The service's bounds (`appEntryDraft`). */
const maxLabels = 32;
const maxLength = 64;

/** Labels as tags: typed and added with Enter, a comma or by leaving the field, each removed by its own button. */
export function LabelsField({ labels, onChange }: LabelsFieldProps) {
  const { t } = useTranslation();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const label = typed.trim();

  const add = () => {
    if (label !== '' && !labels.includes(label)) onChange([...labels, label]);
    setTyped('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter while an input method composes chooses its suggestion.
    if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== ',')) return;
    // Enter in an empty field saves the form, as in any other field.
    if (event.key === 'Enter' && label === '') return;
    event.preventDefault();
    add();
  };
  return (
    <div>
      <TextInput
        label={t('appForm.labels')}
        description={t('appForm.labelsHint')}
        classNames={{ label: formClasses.label, description: formClasses.hint }}
        size="md"
        name="app-label"
        autoComplete="off"
        maxLength={maxLength}
        disabled={labels.length >= maxLabels}
        ref={field}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onBlur={add}
      />
      {labels.length > 0 && (
        <ul className={classes.labels} aria-label={t('appForm.labels')}>
          {labels.map((present) => (
            <li key={present} className={classes.label}>
              {present}
              <button
                type="button"
                className={classes.removeLabel}
                aria-label={t('appForm.labelRemove', { label: present })}
                onClick={() => {
                  onChange(labels.filter((other) => other !== present));
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

import { IconInfoCircle } from '@tabler/icons-react';
import { useId, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../ui/buttons/icon-button.tsx';
import classes from './setting.module.css';

/** Ids that connect a control with its label and its explanation. */
export interface ControlIds {
  id: string;
  'aria-describedby'?: string;
}

interface SettingRowProps {
  label: string;
  /** Shown on demand, and always available to screen readers. Absent if the neighbour's explanation is enough. */
  explanation?: string | undefined;
  /** What users have to know before they change it; always shown. */
  note?: string | undefined;
  children: (ids: ControlIds) => ReactNode;
}

/** One setting in one line: its name, a button for its explanation, and its control. */
export function SettingRow({ label, explanation, note, children }: SettingRowProps) {
  const { t } = useTranslation();
  const id = useId();
  const [isExplained, setExplained] = useState(false);
  const text = `${id}-text`;
  const noteId = `${id}-note`;
  const described = [...(note === undefined ? [] : [noteId]), ...(explanation === undefined ? [] : [text])];
  return (
    <div className={classes.setting}>
      <div className={classes.line}>
        <label htmlFor={id} className={classes.label}>
          {label}
        </label>
        {explanation !== undefined && (
          <IconButton
            label={t('settings.explain', { setting: label })}
            aria-expanded={isExplained}
            aria-controls={text}
            onClick={() => setExplained(!isExplained)}
          >
            <IconInfoCircle size={18} stroke={1.8} aria-hidden />
          </IconButton>
        )}
        {children({ id, ...(described.length > 0 && { 'aria-describedby': described.join(' ') }) })}
      </div>
      {note !== undefined && (
        <p id={noteId} className={classes.text}>
          {note}
        </p>
      )}
      {explanation !== undefined && (
        <p id={text} className={classes.text} hidden={!isExplained}>
          {explanation}
        </p>
      )}
    </div>
  );
}

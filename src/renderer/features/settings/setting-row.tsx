import { IconInfoCircle } from '@tabler/icons-react';
import { useId, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { IconButton } from '../../ui/icon-button.tsx';
import classes from './setting.module.css';

/** What a control needs to be found by its label and explained by the text on demand. */
export interface ControlIds {
  id: string;
  'aria-describedby'?: string;
}

interface SettingRowProps {
  label: string;
  /** Shown when asked for, and always there for who hears the page. Absent where its neighbour's is enough. */
  explanation?: string | undefined;
  /** What has to be known before it is changed: shown without being asked for. */
  note?: string | undefined;
  children: (ids: ControlIds) => ReactNode;
}

/** One setting on one line: its name, the way to what it means, and what changes it. */
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

import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { isForInputMethod } from '../../ui/forms/is-for-input-method.ts';
import { SettingRow } from './setting-row.tsx';
import classes from './setting.module.css';

interface ListSettingProps {
  label: string;
  explanation: string;
  /** Shown while the list is empty. */
  hint: string;
  /** Shown for invalid entries. */
  invalid: string;
  entries: readonly string[];
  maxLength: number;
  /** The entries in a text that somebody typed; undefined if one is invalid. */
  read: (text: string) => string[] | undefined;
  onChange: (entries: string[]) => void;
}

/** Entries that are typed as a list; they take effect when the field loses the focus. */
export function ListSetting(props: ListSettingProps) {
  const { label, explanation, hint, invalid, entries, maxLength, read, onChange } = props;
  /** While it is being typed. */
  const [typed, setTyped] = useState<string>();
  const [isWrong, setWrong] = useState(false);

  function finish(): void {
    if (typed === undefined) return;
    const wanted = read(typed);
    setWrong(!wanted);
    if (!wanted) return;
    setTyped(undefined);
    if (wanted.join() !== entries.join()) onChange(wanted);
  }

  return (
    <SettingRow label={label} explanation={explanation}>
      {(ids) => (
        <TextInput
          {...ids}
          className={classes.field}
          value={typed ?? entries.join(', ')}
          placeholder={hint}
          error={isWrong && invalid}
          spellCheck={false}
          autoComplete="off"
          maxLength={maxLength}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onBlur={finish}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !isForInputMethod(event)) finish();
          }}
        />
      )}
    </SettingRow>
  );
}

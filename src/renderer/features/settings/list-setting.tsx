import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { SettingRow } from './setting-row.tsx';
import classes from './setting.module.css';

interface ListSettingProps {
  label: string;
  explanation: string;
  /** Shown while the list is empty. */
  hint: string;
  /** Said of what cannot be taken. */
  invalid: string;
  entries: readonly string[];
  maxLength: number;
  /** The entries of a text that somebody typed; undefined if it has one that is none. */
  read: (text: string) => string[] | undefined;
  onChange: (entries: string[]) => void;
}

/** Entries that are typed as a list; it holds once the field is left. */
export function ListSetting(props: ListSettingProps) {
  const { label, explanation, hint, invalid, entries, maxLength, read, onChange } = props;
  /** As long as it is being typed. */
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
          onKeyDown={({ key }) => {
            if (key === 'Enter') finish();
          }}
        />
      )}
    </SettingRow>
  );
}

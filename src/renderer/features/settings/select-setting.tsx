import { NativeSelect } from '@mantine/core';
import { SettingRow } from './setting-row.tsx';
import classes from './setting.module.css';

interface SelectSettingProps<Value extends string> {
  label: string;
  explanation: string;
  value: Value;
  options: readonly { value: Value; label: string; lang?: string }[];
  onSelect: (value: Value) => void;
}

/** A setting with a few possible values. */
export function SelectSetting<Value extends string>(props: SelectSettingProps<Value>) {
  const { label, explanation, value, options, onSelect } = props;
  return (
    <SettingRow label={label} explanation={explanation}>
      {(ids) => (
        <NativeSelect
          {...ids}
          className={classes.select}
          value={value}
          onChange={({ currentTarget }) => {
            const chosen = options.find((option) => option.value === currentTarget.value);
            if (chosen) onSelect(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} lang={option.lang}>
              {option.label}
            </option>
          ))}
        </NativeSelect>
      )}
    </SettingRow>
  );
}

import { Switch } from '@mantine/core';
import { SettingRow } from './setting-row.tsx';
import classes from './setting.module.css';

interface SwitchSettingProps {
  label: string;
  explanation?: string | undefined;
  note?: string | undefined;
  /** Undefined until it is known. */
  isOn: boolean | undefined;
  onSwitch: (isOn: boolean) => void;
}

/** A setting that is on or off. */
export function SwitchSetting({ label, explanation, note, isOn, onSwitch }: SwitchSettingProps) {
  return (
    <SettingRow label={label} explanation={explanation} note={note}>
      {(ids) => (
        <Switch
          {...ids}
          classNames={{ input: classes.input, track: classes.track, body: classes.switch }}
          size="md"
          withThumbIndicator={false}
          disabled={isOn === undefined}
          checked={isOn ?? false}
          onChange={({ currentTarget }) => onSwitch(currentTarget.checked)}
        />
      )}
    </SettingRow>
  );
}

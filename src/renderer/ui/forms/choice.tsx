import { Radio } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import classes from './choice.module.css';

interface ChoiceProps {
  /** The same for all choices that exclude each other. */
  name: string;
  checked: boolean;
  onChoose: () => void;
  title: string;
  text: string;
  /** Shown opposite the title. */
  aside?: ReactNode;
}

/** One of several choices: a row that can be pressed anywhere. */
export function Choice({ name, checked, onChoose, title, text, aside }: ChoiceProps) {
  const id = useId();
  return (
    <label className={classes.choice}>
      <Radio
        classNames={{ radio: classes.radio, icon: classes.dot }}
        size="md"
        name={name}
        checked={checked}
        onChange={onChoose}
        aria-labelledby={`${id}-title`}
        aria-describedby={`${id}-text`}
      />
      <span className={classes.words}>
        <span id={`${id}-title`}>{title}</span>
        <span id={`${id}-text`} className={classes.text}>
          {text}
        </span>
      </span>
      {aside}
    </label>
  );
}

import { Progress } from '@mantine/core';
import classes from './meter.module.css';

interface MeterProps {
  label: string;
  used: number;
  total: number;
  /** The same in words; the bar only illustrates it. */
  text: string;
}

/** How much of something is used. */
export function Meter({ label, used, total, text }: MeterProps) {
  const share = Math.min(1, total > 0 ? used / total : 0);
  return (
    <div className={classes.meter}>
      <p className={classes.top}>
        <span>{label}</span>
        <span className={classes.text}>{text}</span>
      </p>
      <Progress
        classNames={{ root: classes.bar, section: classes.used }}
        value={share * 100}
        radius={4}
        aria-hidden
      />
    </div>
  );
}

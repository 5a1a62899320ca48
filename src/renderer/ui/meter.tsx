import classes from './meter.module.css';

/** How much of something is used; `text` says it in words, too. */
export function Meter({
  label,
  used,
  total,
  text,
}: {
  label: string;
  used: number;
  total: number;
  text: string;
}) {
  return (
    <div className={classes.meter}>
      <div className={classes.top}>
        <span>{label}</span>
        <span className={classes.text}>{text}</span>
      </div>
      <meter
        className={classes.bar}
        aria-label={label}
        aria-valuetext={text}
        min={0}
        max={total}
        value={used}
      />
    </div>
  );
}

import markUrl from './mark.svg';
import classes from './logo.module.css';

/** The mark, a way that ends at its destination. It is never the only thing that says the product's name. */
export function Logo({ size = 28, withName = true }: { size?: number; withName?: boolean }) {
  return (
    <span className={classes.logo}>
      <img src={markUrl} width={size} height={size} alt="" />
      {withName && <span className={classes.name}>Waymaker</span>}
    </span>
  );
}

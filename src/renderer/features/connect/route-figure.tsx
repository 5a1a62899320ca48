import classes from './route-figure.module.css';
import type { TunnelLook } from './tunnel-store.ts';

/** The way from here to the server, as a drawing. The words beside it say the same. */
export function RouteFigure({ look }: { look: TunnelLook }) {
  return (
    <svg className={classes.figure} data-look={look} viewBox="16 10 250 72" aria-hidden focusable="false">
      <path className={classes.way} d="M34 66 C 84 66, 76 26, 124 30 S 186 74, 246 34" />
      <path
        className={classes.travelled}
        pathLength={100}
        d="M34 66 C 84 66, 76 26, 124 30 S 186 74, 246 34"
      />
      <circle className={classes.start} cx="34" cy="66" r="8" />
      <circle className={classes.halo} cx="246" cy="34" r="20" />
      <circle className={classes.end} cx="246" cy="34" r="10" />
    </svg>
  );
}

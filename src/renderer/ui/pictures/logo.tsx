import classes from './logo.module.css';

/**
 * The logo, a path that ends at its destination. The product's name is always in text, too. It is drawn inline like
 * mark.svg, because a picture from a file is a separate document for a browser, and the first page would wait for it.
 */
export function Logo({ size = 28, withName = true }: { size?: number; withName?: boolean }) {
  return (
    <span className={classes.logo}>
      <svg width={size} height={size} viewBox="0 0 32 32" fill="none" aria-hidden>
        <rect width="32" height="32" rx="8" fill="#0a7560" />
        <path
          d="M6.5 9.5 11 22l5-10.5L21 22l3-8"
          stroke="#fff"
          strokeWidth="2.8"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
        <circle cx="25.3" cy="9.2" r="2.6" fill="#8ff0d5" />
      </svg>
      {withName && (
        <span className={classes.name} translate="no">
          Waymaker
        </span>
      )}
    </span>
  );
}

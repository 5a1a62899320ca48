import type { ComponentProps, ReactNode } from 'react';
import { BusyButton } from './busy-button.tsx';
import { Link } from '../text/link.tsx';
import classes from './plain-button.module.css';

interface Look {
  variant?: 'filled' | 'default' | 'subtle';
  size?: 'compact' | 'sm' | 'md';
  isWide?: boolean;
}

const lookOf = ({ variant = 'filled', size = 'sm', isWide = false }: Look) => ({
  className: classes.button,
  'data-variant': variant,
  'data-size': size,
  'data-wide': isWide || undefined,
});

const Label = ({ children }: { children: ReactNode }) => <span className={classes.label}>{children}</span>;

/** Looks like Mantine's Button in theme.ts, for what is shown before Mantine is loaded. `isBusy`: see `BusyButton`. */
export function PlainButton({
  variant,
  size,
  isWide,
  isBusy = false,
  children,
  ...others
}: Omit<ComponentProps<'button'>, 'className'> & Look & { isBusy?: boolean }) {
  return (
    <BusyButton {...others} {...lookOf({ variant, size, isWide })} data-loading={isBusy || undefined}>
      <Label>{children}</Label>
    </BusyButton>
  );
}

/** A link that looks like a button. */
export function PlainButtonLink({
  variant,
  size,
  isWide,
  children,
  ...others
}: Omit<ComponentProps<typeof Link>, 'className'> & Look) {
  return (
    <Link {...others} {...lookOf({ variant, size, isWide })}>
      <Label>{children}</Label>
    </Link>
  );
}

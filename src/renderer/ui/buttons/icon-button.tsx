import { UnstyledButton } from '@mantine/core';
import type { ComponentProps, ReactNode, Ref } from 'react';
import classes from './icon-button.module.css';

interface IconButtonProps extends Pick<
  ComponentProps<'button'>,
  'onClick' | 'aria-expanded' | 'aria-controls'
> {
  /** Its label, which is not visible. */
  label: string;
  /** Whether it removes something. */
  isDanger?: boolean;
  ref?: Ref<HTMLButtonElement>;
  children: ReactNode;
}

/** A small button with only an icon, at the end of a row. */
export function IconButton({ label, isDanger = false, children, ...others }: IconButtonProps) {
  return (
    <UnstyledButton
      {...others}
      className={classes.button}
      aria-label={label}
      data-danger={isDanger || undefined}
    >
      {children}
    </UnstyledButton>
  );
}

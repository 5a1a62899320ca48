import { UnstyledButton } from '@mantine/core';
import type { ComponentProps, ReactNode, Ref } from 'react';
import classes from './icon-button.module.css';

interface IconButtonProps extends Pick<
  ComponentProps<'button'>,
  'onClick' | 'aria-expanded' | 'aria-controls'
> {
  /** It has no words that are seen. */
  label: string;
  /** Whether it takes something away. */
  isDanger?: boolean;
  ref?: Ref<HTMLButtonElement>;
  children: ReactNode;
}

/** A small button at the end of a row, with a picture alone. */
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

import { UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import classes from './forget-button.module.css';
import { leaveFocus } from './leave-focus.ts';

/** Takes a row from a list of what was chosen, at once: it can be chosen again. `label` says which. */
export function ForgetButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <UnstyledButton ref={leaveFocus} className={classes.button} aria-label={label} onClick={onClick}>
      <IconX size={18} aria-hidden />
    </UnstyledButton>
  );
}

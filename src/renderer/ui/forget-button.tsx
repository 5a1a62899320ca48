import { UnstyledButton } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import classes from './forget-button.module.css';

/** Takes a row from a list of what was chosen, at once: it can be chosen again. `label` says which. */
export function ForgetButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <UnstyledButton className={classes.button} aria-label={label} onClick={onClick}>
      <IconX size={18} aria-hidden />
    </UnstyledButton>
  );
}

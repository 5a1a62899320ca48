import { Button } from '@mantine/core';

interface RemoveButtonProps {
  children: string;
  /** What screen readers say in the place of the button's text: that, and of what it is. */
  label: string;
  onClick: () => void;
}

/** The button in a list's row that takes what is in the row away, after asking. */
export function RemoveButton({ children, label, onClick }: RemoveButtonProps) {
  return (
    <Button size="sm" variant="default" color="red" aria-label={label} onClick={onClick}>
      {children}
    </Button>
  );
}

import { Button } from '@mantine/core';

interface RemoveButtonProps {
  children: string;
  /** What screen readers say instead of the button's text: the same, and what it applies to. */
  label: string;
  onClick: () => void;
}

/** The button in a list's row that removes the row's item, after asking. */
export function RemoveButton({ children, label, onClick }: RemoveButtonProps) {
  return (
    <Button size="sm" variant="default" color="red" aria-label={label} onClick={onClick}>
      {children}
    </Button>
  );
}

import { IconX } from '@tabler/icons-react';
import { IconButton } from './icon-button.tsx';
import { leaveFocus } from '../focus/leave-focus.ts';

/** Removes a row from a list of choices, at once, because it can be chosen again. `label` says which. */
export function ForgetButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <IconButton ref={leaveFocus} label={label} isDanger onClick={onClick}>
      <IconX size={18} aria-hidden />
    </IconButton>
  );
}

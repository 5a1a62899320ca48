import { Button, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useCopy } from './use-copy.ts';

interface CopyTextButtonProps {
  text: string;
  label: string;
  labelOnceCopied: string;
}

/** A button that copies a longer text of the page. */
export function CopyTextButton({ text, label, labelOnceCopied }: CopyTextButtonProps) {
  const { copied, copy } = useCopy(text);
  const Icon = copied ? IconCheck : IconCopy;
  return (
    <>
      <Button variant="default" leftSection={<Icon size={18} aria-hidden />} onClick={copy}>
        {copied ? labelOnceCopied : label}
      </Button>
      {/* Not in the button, whose content is nothing but its label to screen readers. */}
      <VisuallyHidden aria-live="polite">{copied && labelOnceCopied}</VisuallyHidden>
    </>
  );
}

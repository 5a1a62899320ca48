import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';
import { useCopy } from '../../../ui/buttons/use-copy.ts';
import classes from './connection-facts.module.css';

/** A value for use elsewhere, with a button to copy it. */
export function CopiedValue({ value }: { value: string }) {
  const { t } = useTranslation();
  const { copied, copy } = useCopy(value);
  return (
    <span className={classes.copied}>
      <span translate="no">
        {/* A long address breaks after a slash, not within a name. */}
        {value.split(/(?<=\/)/).map((part, index) => (
          <Fragment key={index}>
            {part}
            <wbr />
          </Fragment>
        ))}
      </span>
      <UnstyledButton className={classes.copy} aria-label={`${t('connect.copy')} ${value}`} onClick={copy}>
        {copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
      </UnstyledButton>
      {/* Not in the button, whose content is nothing but its label to screen readers. */}
      <VisuallyHidden aria-live="polite">{copied && t('connect.copied')}</VisuallyHidden>
    </span>
  );
}

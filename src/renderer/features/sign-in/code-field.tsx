import { PinInput } from '@mantine/core';
import { useEffect, useId, useRef, type ClipboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { authCodeLength } from '#shared/constants.ts';
import { readAuthCode } from '#shared/typed-text.ts';
import classes from './sign-in.module.css';

interface CodeFieldProps {
  value: string;
  error: string | undefined;
  disabled: boolean;
  onChange: (value: string) => void;
  onComplete: (value: string) => void;
}

/** Keyboards of East Asia also write full-width digits. */
const digits = /^[0-9０-９]+$/;

/** The six-digit code, one box for each digit. A refused code returns the focus to the first box. */
export function CodeField({ value, error, disabled, onChange, onComplete }: CodeFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const first = useRef<HTMLInputElement>(null);
  // The page's only field: on arrival, and after a refusal, the user can type at once.
  useEffect(() => {
    if (!disabled) first.current?.focus();
  }, [disabled]);
  const change = (code: string) => onChange(readAuthCode(code));
  const complete = (code: string) => onComplete(readAuthCode(code));
  /** The component itself takes digits and white space only. */
  const paste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData.getData('text/plain');
    const code = readAuthCode(pasted).slice(0, authCodeLength);
    if (disabled || !/[^\d\s]/.test(pasted) || !/^\d+$/.test(code)) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(code);
    if (code.length === authCodeLength) onComplete(code);
  };
  return (
    <div onPasteCapture={paste}>
      <span id={`${id}-label`} className={classes.label}>
        {t('verify.code')}
      </span>
      <PinInput
        ref={first}
        // The component sets its own id after the first render and uses it in the boxes' keys, so they would lose the
        // focus.
        id={id}
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-error`}
        className={classes.digits}
        classNames={{ pinInput: classes.digit }}
        length={authCodeLength}
        type={digits}
        gap={8}
        placeholder=""
        value={value}
        error={error !== undefined}
        disabled={disabled}
        onChange={change}
        onComplete={complete}
        getInputProps={(index) => ({
          type: 'tel',
          inputMode: 'numeric',
          'aria-label': t('verify.digit', { index: index + 1, total: authCodeLength }),
        })}
      />
      <p id={`${id}-error`} className={classes.error} role="alert">
        {error}
      </p>
    </div>
  );
}

import { PinInput } from '@mantine/core';
import { useEffect, useId, useRef, type ClipboardEvent, type FormEvent, type SyntheticEvent } from 'react';
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

/** In any script: full-width ones are on keyboards of East Asia, and Arabic, Persian and others have their own. */
const digits = /^\p{Nd}+$/u;

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
  /**
   * What comes at once, from a clipboard or a password manager. The component itself takes digits and white space only,
   * and does not tell of a second code in the place of a refused one.
   */
  const take = (text: string, event: SyntheticEvent) => {
    const code = readAuthCode(text).slice(0, authCodeLength);
    const isWhole = code.length === authCodeLength;
    if (disabled || !/^\d+$/.test(code) || !(isWhole || /[^\d\s]/.test(text))) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(code);
    if (isWhole) onComplete(code);
  };
  const paste = (event: ClipboardEvent) => take(event.clipboardData.getData('text/plain'), event);
  const fill = (event: FormEvent) => {
    const { value: text } = event.target as HTMLInputElement;
    // Two are a digit that is typed where there is one.
    if (text.length > 2) take(text, event);
  };
  return (
    <div onPasteCapture={paste} onChangeCapture={fill}>
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

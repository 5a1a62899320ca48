import { useId, type Ref } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './email-field.module.css';

interface EmailFieldProps {
  ref: Ref<HTMLInputElement>;
  onType: (email: string) => void;
  onLeave: () => void;
  isInvalid: boolean;
}

/**
 * Looks like Mantine's TextInput, using theme.css: the login page appears before Mantine is loaded. It has its text by
 * itself: React would put back what some password managers fill in without an event.
 */
export function EmailField({ ref, onType, onLeave, isInvalid }: EmailFieldProps) {
  const { t } = useTranslation();
  const id = useId();
  const errorId = useId();
  return (
    <div>
      <label htmlFor={id} className={classes.label}>
        {t('login.email')}
      </label>
      <input
        ref={ref}
        id={id}
        className={classes.input}
        placeholder={t('login.emailHint')}
        type="email"
        name="email"
        autoComplete="email"
        inputMode="email"
        spellCheck={false}
        onChange={(event) => onType(event.currentTarget.value)}
        onBlur={onLeave}
        // Nothing else happens then, while the button cannot be pressed.
        onKeyDown={({ key }) => key === 'Enter' && onLeave()}
        aria-invalid={isInvalid || undefined}
        aria-describedby={isInvalid ? errorId : undefined}
      />
      {isInvalid && (
        <p id={errorId} className={classes.error} role="alert">
          {t('login.emailInvalid')}
        </p>
      )}
    </div>
  );
}

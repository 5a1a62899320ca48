import { Button, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { readLicenseKey } from '#shared/typed-text.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { useOneAtATime } from '../../ui/use-one-at-a-time.ts';
import classes from './redeem.module.css';

/** More than any key has, and what a mail program adds to it. */
const keyMaxLength = 512;

/** Consumes a license key, which adds to the user's plan (specification §2, /x). */
export function RedeemPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const consume = useApiMutation('consumeLicenseKey', {
    changes: ['userInfo', 'myService', 'serverGroups', 'trafficStats', 'orders'],
    tells: { done: 'redeem.success', failed: 'redeem.failed' },
  });
  const once = useOneAtATime();
  const [key, setKey] = useState('');
  const [missing, setMissing] = useState(false);
  const field = useRef<HTMLInputElement>(null);

  // The page's one field: the user can type at once.
  useEffect(() => field.current?.focus(), []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const typed = readLicenseKey(key);
    setMissing(typed === '');
    if (typed === '') {
      field.current?.focus();
      return;
    }
    once((ended) =>
      consume.mutate(
        { params: { key: typed } },
        { onSuccess: () => void navigate('/dashboard'), onSettled: ended },
      ),
    );
  };
  return (
    <CenteredPanel>
      <PageHeading align="center" lead={t('redeem.lead')} takesFocus={false}>
        {t('redeem.title')}
      </PageHeading>
      <form className={classes.form} onSubmit={submit} noValidate>
        <TextInput
          ref={field}
          label={t('redeem.key')}
          name="license-key"
          autoComplete="off"
          spellCheck={false}
          size="md"
          required
          withAsterisk={false}
          maxLength={keyMaxLength}
          value={key}
          onChange={(event) => {
            setKey(event.currentTarget.value);
            setMissing(false);
          }}
          error={missing ? t('redeem.required') : undefined}
        />
        <Button type="submit" size="md" fullWidth loading={consume.isPending}>
          {t('redeem.submit')}
        </Button>
      </form>
    </CenteredPanel>
  );
}

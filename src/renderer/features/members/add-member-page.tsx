import { Button, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router-dom';
import { readEmail } from '#shared/typed-text.ts';
import { isEmail } from '#shared/validation.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useApp } from '../../platform/host-context.tsx';
import formClasses from '../../ui/forms/form.module.css';
import { keepFocus } from '../../ui/focus/keep-focus.ts';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import { Link } from '../../ui/text/link.tsx';
import { memberAdded } from './member-added.ts';
import { useOneAtATime } from '../../ui/use-one-at-a-time.ts';

export function AddMemberPage() {
  const { t } = useTranslation();
  const { kind } = useApp();
  const navigate = useNavigate();
  const add = useApiMutation('addMember', memberAdded);
  const once = useOneAtATime();
  const [typed, setTyped] = useState('');
  const [left, setLeft] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // The web console does not have the list of members (specification §2).
  const next = kind === 'web' ? '/dashboard' : '/members';
  const email = readEmail(typed);
  const problem = email === '' ? 'members.emailMissing' : isEmail(email) ? undefined : 'login.emailInvalid';

  // The page's only field: the user can type at once.
  useEffect(() => field.current?.focus(), []);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setLeft(true);
    if (problem) field.current?.focus();
    if (problem) return;
    const body = { loginId: email, loginType: 'email' } as const;
    once((ended) => add.mutate({ body }, { onSuccess: () => void navigate(next), onSettled: ended }));
  };
  return (
    <>
      <PageTop back={{ to: '/members', title: 'section.members' }}>
        <PageHeading lead={t('members.addLead')} takesFocus={false}>
          {t('members.addTitle')}
        </PageHeading>
      </PageTop>
      <form className={formClasses.form} onSubmit={submit} noValidate>
        <TextInput
          label={t('members.email')}
          type="email"
          name="member-email"
          autoComplete="off"
          inputMode="email"
          spellCheck={false}
          size="md"
          required
          withAsterisk={false}
          maxLength={254}
          ref={field}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value.trim())}
          onBlur={() => setLeft(email !== '')}
          error={left && problem ? t(problem) : undefined}
        />
        <div className={formClasses.actions}>
          <Button type="submit" loading={add.isPending} onMouseDown={keepFocus}>
            {t('members.add')}
          </Button>
          <Button component={Link} to={next} variant="default">
            {t('dialog.cancel')}
          </Button>
        </div>
      </form>
    </>
  );
}

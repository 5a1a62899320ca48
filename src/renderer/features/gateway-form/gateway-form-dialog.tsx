import { Button } from '@mantine/core';
import { useId, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { asksForCode } from '#shared/host/asks-for-code.ts';
import type { GatewayForm, GatewayFormField } from '#shared/host/gateway-form.ts';
import dialogClasses from '../../ui/dialogs/dialog.module.css';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { Message } from '../../ui/messages/message.tsx';
import { GatewayFormInput } from './gateway-form-input.tsx';
import classes from './gateway-form.module.css';

interface GatewayFormDialogProps {
  form: GatewayForm;
  /** One answer for each field, in order. */
  onAnswer: (answers: string[]) => void;
  onCancel: () => void;
}

/** A gateway's form. Its text is set apart from ours, below the gateway's name. */
export function GatewayFormDialog({ form, onAnswer, onCancel }: GatewayFormDialogProps) {
  const { t } = useTranslation();
  const id = useId();
  const words = topicWords[form.topic];
  const [answers, setAnswers] = useState(() => form.fields.map(firstAnswer));
  // Enter that was meant for the Connect button must not send an empty answer, which counts as a wrong one.
  const typed = form.fields.flatMap((field, index) => (field.kind === 'choice' ? [] : [answers[index]]));
  const ready = typed.length === 0 || typed.some((answer) => answer !== '');
  // Closing a text means that it was read.
  const close = form.topic === 'banner' ? () => onAnswer([]) : onCancel;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (ready) onAnswer(answers);
  };
  return (
    <Dialog
      title={t(asksForCode(form) ? 'gatewayForm.codeTitle' : words.title)}
      describedBy={`${id}-message`}
      onClose={close}
    >
      <form className={classes.form} onSubmit={submit} autoComplete="off">
        {form.again && <Message tone="bad">{t('gatewayForm.again')}</Message>}
        <div id={`${id}-message`} className={classes.words}>
          <p className={classes.gateway}>{t(words.says, { gateway: form.gateway })}</p>
          {form.message !== '' && (
            <p className={classes.message} dir="auto">
              {form.message}
            </p>
          )}
        </div>
        {form.fields.map((field, index) => (
          <GatewayFormInput
            // A form's fields never change, and nothing else identifies them.
            key={index}
            field={field}
            value={answers[index] ?? ''}
            onChange={(value) => setAnswers(answers.with(index, value))}
          />
        ))}
        <div className={dialogClasses.actions}>
          {form.topic !== 'banner' && (
            <Button variant="default" onClick={onCancel}>
              {t('dialog.cancel')}
            </Button>
          )}
          <Button type="submit" disabled={!ready}>
            {t(words.done)}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const topicWords = {
  form: { title: 'gatewayForm.title', says: 'gatewayForm.says', done: 'gatewayForm.continue' },
  group: { title: 'gatewayForm.groupTitle', says: 'gatewayForm.groupSays', done: 'gatewayForm.continue' },
  proxy: { title: 'gatewayForm.proxyTitle', says: 'gatewayForm.says', done: 'gatewayForm.continue' },
  banner: { title: 'gatewayForm.bannerTitle', says: 'gatewayForm.bannerSays', done: 'gatewayForm.read' },
} as const satisfies Record<GatewayForm['topic'], object>;

const firstAnswer = (field: GatewayFormField) => (field.kind === 'choice' ? field.selected : '');

import { Button } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { useId, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProgramChoice, RoutedProgram, RunningProgram } from '#shared/host/routed-programs.ts';
import { IconOrInitial } from '../../../ui/pictures/icon-or-initial.tsx';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import dialogList from '../../../ui/dialogs/dialog-list.module.css';
import { LoadFailure } from '../../../ui/loading/load-failure.tsx';
import { PlaceholderLines } from '../../../ui/loading/placeholder.tsx';
import { SearchField } from '../../../ui/forms/search-field.tsx';
import { Tag } from '../../../ui/text/tag.tsx';
import { programSections, searchPrograms, type ProgramSection } from './program-rows.ts';
import classes from './programs.module.css';

interface ProgramPickerProps {
  policy: ProgramChoice['policy'];
  installed: UseQueryResult<RoutedProgram[]>;
  running: ReadonlyMap<string, RunningProgram>;
  chosen: readonly string[];
  onChoose: (id: string, isChosen: boolean) => void;
  onClose: () => void;
}

const headings = {
  chosen: 'routing.appsChosen',
  running: 'routing.appsRunning',
  other: 'routing.appsOther',
} as const satisfies Record<ProgramSection, string>;

/** All programs, for choosing some; each choice takes effect at once. */
export function ProgramPicker(props: ProgramPickerProps) {
  const { policy, installed, running, chosen, onChoose, onClose } = props;
  const { t } = useTranslation();
  const id = useId();
  const [query, setQuery] = useState('');
  /** Keeps the order, so that nothing moves away from under the pointer when something is chosen, started or ended. */
  const [first, setFirst] = useState<{ chosen: readonly string[]; running: typeof running }>();
  const programs = installed.data;
  if (programs && !first && !installed.isFetching) setFirst({ chosen, running });
  const order = first ?? { chosen, running };
  const found = programs && searchPrograms(programs, query);
  const sections = found && [...programSections(found, order.chosen, order.running)];
  /** If there are only others, their heading would say nothing. */
  const hasOthersOnly = sections?.every(([section, items]) => section === 'other' || items.length === 0);

  return (
    <Dialog
      title={t(policy === 'include' ? 'routing.appsInclude' : 'routing.appsExclude')}
      onClose={onClose}
      isTall
    >
      <SearchField
        size="md"
        aria-label={t('routing.appsSearch')}
        aria-controls={`${id}-list`}
        placeholder={t('routing.appsSearch')}
        value={query}
        onSearch={setQuery}
      />
      <p
        className={dialogList.found}
        data-none={(query.trim() !== '' && found?.length === 0) || undefined}
        aria-live="polite"
      >
        {found &&
          query.trim() !== '' &&
          (found.length === 0 ? t('routing.appsNoneFound') : t('routing.appsFound', { count: found.length }))}
      </p>
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys lead among the boxes in it, which are pressed themselves */}
      <div id={`${id}-list`} className={`${dialogList.scrolled} ${classes.listed}`} onKeyDown={moveByArrows}>
        {installed.isError && (
          <LoadFailure text={t('routing.appsFailed')} onRetry={() => void installed.refetch()} />
        )}
        {!programs && !installed.isError && (
          <output aria-label={t('shell.loading')} className={classes.none}>
            <PlaceholderLines lines={8} />
          </output>
        )}
        {programs?.length === 0 && (
          <div className={classes.none}>
            <p className={classes.name}>{t('routing.appsEmpty')}</p>
            <p className={classes.detail}>{t('routing.appsEmptyText')}</p>
          </div>
        )}
        {sections?.map(
          ([section, items]) =>
            items.length > 0 && (
              <fieldset
                key={section}
                className={classes.section}
                aria-label={hasOthersOnly ? t('routing.apps') : undefined}
              >
                {!hasOthersOnly && <legend className={classes.heading}>{t(headings[section])}</legend>}
                {items.map((program) => (
                  <label key={program.id} className={classes.option}>
                    <input
                      type="checkbox"
                      className={classes.box}
                      checked={chosen.includes(program.id)}
                      onChange={({ currentTarget }) => onChoose(program.id, currentTarget.checked)}
                    />
                    <IconOrInitial icon={program.icon} name={program.name} size={32} />
                    <bdi className={classes.optionName}>{program.name}</bdi>
                    {running.has(program.id) && section !== 'running' && (
                      <Tag tone="plain">{t('routing.appsRunning')}</Tag>
                    )}
                  </label>
                ))}
              </fieldset>
            ),
        )}
      </div>
      <div className={classes.end}>
        <Button size="md" onClick={onClose}>
          {t('routing.appsDone')}
        </Button>
      </div>
    </Dialog>
  );
}

/** Arrow keys move between checkboxes, in addition to Tab. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const boxes = [...event.currentTarget.querySelectorAll<HTMLInputElement>('input[type=checkbox]')];
  const at = boxes.findIndex((box) => box === document.activeElement);
  boxes[at + step]?.focus();
  if (at >= 0) event.preventDefault();
}

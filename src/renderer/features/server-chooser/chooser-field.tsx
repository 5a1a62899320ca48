import { memo, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { SearchField } from '../../ui/forms/search-field.tsx';
import classes from './server-chooser.module.css';

interface ChooserFieldProps {
  /** Id of the grid below the field. */
  grid: string;
  /** Id of the grid cell that the keyboard is at. */
  active: string | undefined;
  hasStars: boolean;
  /** Whether the hint about its keys is visible; screen readers always read it. */
  showsKeys: boolean;
  query: string;
  onKeyDown: (event: KeyboardEvent) => void;
  onSearch: (query: string) => void;
}

/** The search field. Memoized: drawing it takes as long as drawing several rows. */
export const ChooserField = memo(function ChooserField(props: ChooserFieldProps) {
  const { t } = useTranslation();
  return (
    <SearchField
      size="md"
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a datalist of the browser's shows names alone
      role="combobox"
      aria-label={t('servers.search')}
      aria-expanded
      aria-controls={props.grid}
      aria-haspopup="grid"
      aria-activedescendant={props.active}
      description={props.hasStars && t('servers.starKeys')}
      inputWrapperOrder={['input', 'description']}
      classNames={{ description: props.showsKeys ? classes.keys : classes.spoken }}
      aria-autocomplete="list"
      placeholder={t('servers.search')}
      value={props.query}
      onKeyDown={props.onKeyDown}
      onSearch={props.onSearch}
    />
  );
});

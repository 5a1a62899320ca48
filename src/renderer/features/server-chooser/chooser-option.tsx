import type { ReactNode } from 'react';
import classes from './server-chooser.module.css';

/** Of all there are, few of which are in the page. */
export interface OptionPosition {
  'aria-posinset': number;
  'aria-setsize': number;
}

interface ChooserOptionProps {
  id: string;
  /** Where the keyboard is. */
  isActive: boolean;
  isChosen: boolean;
  isUsable: boolean;
  /** It stands below the name of its country. */
  isIndented?: boolean;
  describedBy?: string;
  position: OptionPosition;
  onSubmit: () => void;
  children: ReactNode;
}

/** A line of the list that can be chosen: bare elements, as dozens are drawn with each letter that is typed. */
export function ChooserOption(props: ChooserOptionProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- keys go to the field that searches, which says which option is active
    <div
      id={props.id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the browser's own has text alone
      role="option"
      className={classes.option}
      data-active={props.isActive || undefined}
      data-indented={props.isIndented || undefined}
      aria-selected={props.isChosen}
      aria-disabled={props.isUsable ? undefined : true}
      aria-describedby={props.describedBy}
      onClick={props.onSubmit}
      {...props.position}
    >
      {props.children}
    </div>
  );
}

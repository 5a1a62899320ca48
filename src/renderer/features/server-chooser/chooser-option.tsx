import type { ReactNode } from 'react';
import classes from './server-chooser.module.css';

/** Which of all it is, few of which are in the page: from 1. */
export interface RowPosition {
  'aria-rowindex': number;
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
  position: RowPosition;
  onSubmit: () => void;
  /** What else can be done with it: a cell of its own. */
  action?: ReactNode;
  children: ReactNode;
}

/** A line of the list that can be chosen: bare elements, as dozens are drawn with each letter that is typed. */
export function ChooserOption(props: ChooserOptionProps) {
  return (
    <div
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a table's own rows stand where a table puts them
      role="row"
      className={classes.option}
      data-active={props.isActive || undefined}
      data-indented={props.isIndented || undefined}
      aria-selected={props.isChosen}
      aria-disabled={props.isUsable ? undefined : true}
      {...props.position}
    >
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- keys go to the field that searches, which says which cell is active */}
      <div
        id={props.id}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- as above
        role="gridcell"
        className={classes.choice}
        aria-selected={props.isChosen}
        aria-disabled={props.isUsable ? undefined : true}
        aria-describedby={props.describedBy}
        onClick={props.onSubmit}
      >
        {props.children}
      </div>
      {props.action}
    </div>
  );
}

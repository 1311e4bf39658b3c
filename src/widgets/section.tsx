import { caretDownIcon, caretRightIcon } from '@jupyterlab/ui-components';
import React, { useId, useState } from 'react';

export interface ISectionProps {
  title: string;
  /** A short fact at the right end of the heading. */
  aside?: React.ReactNode;
  isOpenAtFirst?: boolean;
  /** Draws the content; it is only called while the section is open. */
  children: () => React.ReactNode;
}

/** A part of the sidebar that opens and closes under its heading. */
export function Section(props: ISectionProps): React.ReactElement {
  const [isOpen, setOpen] = useState(props.isOpenAtFirst ?? false);
  const id = useId();
  const Caret = isOpen ? caretDownIcon : caretRightIcon;
  return (
    <section className="themisto-Section" aria-labelledby={`${id}-heading`}>
      <h3 className="themisto-Section-heading">
        <button
          id={`${id}-heading`}
          className="themisto-Section-toggle"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `${id}-content` : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <Caret.react tag="span" className="themisto-Section-caret" />
          <span className="themisto-Section-title">{props.title}</span>
        </button>
        {props.aside && (
          <span className="themisto-Section-aside">{props.aside}</span>
        )}
      </h3>
      {isOpen && (
        <div id={`${id}-content`} className="themisto-Section-content">
          {props.children()}
        </div>
      )}
    </section>
  );
}

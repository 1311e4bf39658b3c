import React, { useEffect, useRef } from 'react';

import { usePanel } from './context';

export interface ICodeBlockProps {
  code: string;
  language: string;
  label: string;
  /** Whether more of it is still to come. */
  isGrowing?: boolean;
}

/** Code to look at: coloured, and never anything but text. */
export function CodeBlock(props: ICodeBlockProps): React.ReactElement {
  const { code, language, label, isGrowing = false } = props;
  const { highlight } = usePanel();
  const pre = useRef<HTMLPreElement>(null);

  useEffect(() => {
    let isLatest = true;
    const target = document.createElement('code');
    highlight(code, language, target)
      .catch(() => target.replaceChildren(code))
      .finally(() => {
        if (isLatest && pre.current) {
          pre.current.replaceChildren(target);
          if (isGrowing) {
            pre.current.scrollTop = pre.current.scrollHeight;
          }
        }
      });
    return () => {
      isLatest = false;
    };
  }, [code, language, isGrowing, highlight]);

  return (
    <pre
      ref={pre}
      className="themisto-Code"
      data-growing={isGrowing}
      aria-label={label}
      aria-busy={isGrowing}
      tabIndex={0}
    />
  );
}

import React, { useMemo } from 'react';

import { type IDiffLine, lineDiff } from '../model/lineDiff';

const SIGNS: Record<IDiffLine['kind'], string> = {
  same: ' ',
  predicted: '−',
  actual: '+'
};

const WORDS: Record<IDiffLine['kind'], string> = {
  same: '',
  predicted: 'predicted: ',
  actual: 'real: '
};

/** A forecast and what came, line by line. */
export function DifferenceView(props: {
  predicted: string;
  actual: string;
}): React.ReactElement {
  const { predicted, actual } = props;
  const lines = useMemo(() => lineDiff(predicted, actual), [predicted, actual]);
  return (
    <>
      <pre
        className="themisto-Difference"
        aria-label="Difference between the forecast and the output"
        tabIndex={0}
      >
        {lines.map((line, index) => (
          <div key={index} data-kind={line.kind}>
            <span aria-hidden={true} className="themisto-Difference-sign">
              {SIGNS[line.kind]}
            </span>
            <span className="themisto-Hidden">{WORDS[line.kind]}</span>
            {line.text}
          </div>
        ))}
      </pre>
      <div className="themisto-Reason">− predicted, + real</div>
    </>
  );
}

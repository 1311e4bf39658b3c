import { ReactWidget } from '@jupyterlab/ui-components';
import React from 'react';

import { ACTIVITY_WORDS, activityOf } from '../model/activity';
import type { ThemistoModel } from '../model/themistoModel';
import { useObservable } from './useObservable';

/**
 * The item of the status bar.
 */
export class StatusItem extends ReactWidget {
  constructor(
    private readonly _model: ThemistoModel,
    private readonly _onClick: () => void
  ) {
    super();
    this.id = 'themisto-lab-status';
    this.addClass('themisto-Status');
  }

  protected override render(): React.ReactElement {
    return <Item model={this._model} onClick={this._onClick} />;
  }
}

function Item(props: {
  model: ThemistoModel;
  onClick: () => void;
}): React.ReactElement {
  const { model, onClick } = props;
  useObservable(model);
  const activity = activityOf(model.server, model.notebook);
  const words = ACTIVITY_WORDS[activity];
  const trouble = model.server.trouble?.message;
  return (
    <button
      className="themisto-Activity"
      data-activity={activity}
      title={trouble ?? 'Show or hide the Themisto Lab panel'}
      onClick={onClick}
    >
      <span className="themisto-Dot" aria-hidden={true} />
      {`Themisto: ${words}`}
    </button>
  );
}

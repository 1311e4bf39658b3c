import { ellipsesIcon } from '@jupyterlab/ui-components';
import React from 'react';

import { ACTIVITY_WORDS, activityOf } from '../model/activity';
import { fileName, shortModelName } from '../model/format';
import { usePanel } from './context';
import { useObservable } from './useObservable';

/** What is going on, for which notebook, with which model. */
export function Header(): React.ReactElement {
  const { model, openMenu } = usePanel();
  useObservable(model);
  const { server, notebook } = model;
  const activity = activityOf(server, notebook);
  const name = server.model?.name ?? server.settings.view.model;
  const kind = server.model?.kind ?? name.split('/')[0];
  const path = notebook.notebook?.path;
  return (
    <header className="themisto-Header">
      <div className="themisto-Header-top">
        <h2 className="themisto-Header-title">Themisto</h2>
        <span className="themisto-Activity" data-activity={activity}>
          <span className="themisto-Dot" aria-hidden={true} />
          {ACTIVITY_WORDS[activity]}
        </span>
        <button
          className="themisto-IconButton"
          aria-label="More actions"
          aria-haspopup="menu"
          title="More actions"
          onClick={event => openMenu('more', event.currentTarget)}
        >
          <ellipsesIcon.react tag="span" />
        </button>
      </div>
      <div className="themisto-Header-where">
        <span className="themisto-Header-notebook" title={path}>
          {path ? fileName(path) : 'no notebook'}
        </span>
        {' · '}
        <button
          className="themisto-Link themisto-Header-model"
          aria-label={`Model: ${shortModelName(name)}. Change it.`}
          aria-haspopup="menu"
          title={`${name}: click to change it`}
          onClick={event => openMenu('models', event.currentTarget)}
        >
          {shortModelName(name)}
        </button>
        <span className="themisto-Header-kind">{` · ${kind}`}</span>
      </div>
    </header>
  );
}

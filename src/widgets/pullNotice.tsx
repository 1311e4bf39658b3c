import React from 'react';

import type { ModelView, PullView } from '../api/generated';
import { CommandIds } from '../commandIds';
import { formatBytes, formatSeconds, shortModelName } from '../model/format';
import { usePanel } from './context';
import { Notice, Trouble } from './notice';
import { useObservable } from './useObservable';

/** What stands in the way of the model in use: its file is missing, damaged or on its way. */
export function PullNotice(): React.ReactElement | null {
  const { model } = usePanel();
  const { server } = model;
  useObservable(server, server.pull);
  const { pull } = server;
  if (pull.isRunning) {
    return <PullProgress pull={pull.view} />;
  }
  const current = server.model;
  if (!current) {
    return null;
  }
  if (current.state === 'missing' || current.state === 'damaged') {
    return pull.error ? (
      <Trouble error={{ ...pull.error, code: 'download_failed' }} />
    ) : (
      <Notice action={{ label: 'Pull', command: CommandIds.pullModel }}>
        {question(current)}
      </Notice>
    );
  }
  if (current.state === 'loading') {
    return <Notice>The model is starting; this takes a few seconds.</Notice>;
  }
  if (current.state === 'unavailable') {
    return <Notice isTrouble={true}>{current.note}</Notice>;
  }
  return null;
}

function question(model: ModelView): string {
  const name = shortModelName(model.name);
  const size = model.size_bytes ? ` (${formatBytes(model.size_bytes)})` : '';
  return model.state === 'missing'
    ? `No model yet: pull ${name}${size}?`
    : `The file of ${name} is damaged: pull it again${size}?`;
}

/** A fetch under way: how far, how fast, how long still. */
function PullProgress(props: { pull: PullView | null }): React.ReactElement {
  const { pull } = props;
  const { commands } = usePanel();
  const total = pull?.total_bytes ?? 0;
  const done = pull?.done_bytes ?? 0;
  const facts = [
    `${formatBytes(done)} of ${formatBytes(total)}`,
    pull?.bytes_per_s && `${formatBytes(Math.round(pull.bytes_per_s))}/s`,
    pull?.left_s && `${formatSeconds(pull.left_s)} left`
  ];
  return (
    <div className="themisto-Notice themisto-Pull">
      <span>{`Pulling ${shortModelName(pull?.name ?? 'the model')}`}</span>
      <progress
        className="themisto-Pull-bar"
        aria-label="Pulled"
        max={total || 1}
        value={total ? done : undefined}
      />
      <span className="themisto-Pull-facts">
        {total ? facts.filter(Boolean).join(' · ') : 'looking for a source'}
      </span>
      <button
        className="themisto-Link"
        onClick={() => void commands.execute(CommandIds.cancelPull)}
      >
        Cancel
      </button>
    </div>
  );
}

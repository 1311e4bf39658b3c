import React from 'react';

import type { ErrorView } from '../api/generated';
import { CommandIds } from '../commandIds';
import { type Remedy, remedyOf } from '../model/trouble';
import { usePanel } from './context';

const ACTIONS: Record<Remedy, { label: string; command: string }> = {
  settings: { label: 'Open settings', command: CommandIds.openSettings },
  pull: { label: 'Pull the model', command: CommandIds.pullModel },
  retry: { label: 'Try again', command: CommandIds.retry }
};

export interface INoticeProps {
  children: React.ReactNode;
  isTrouble?: boolean;
  /** At most one thing to do about it. */
  action?: { label: string; command: string } | null;
}

/** One sentence, with one action at most. */
export function Notice(props: INoticeProps): React.ReactElement {
  const { children, isTrouble = false, action } = props;
  const { commands } = usePanel();
  return (
    <div
      className="themisto-Notice"
      data-trouble={isTrouble}
      role={isTrouble ? 'alert' : undefined}
    >
      <span>{children}</span>
      {action && (
        <button
          className="themisto-Link"
          onClick={() => void commands.execute(action.command)}
        >
          {action.label}
        </button>
      )}
    </div>
  );
}

/** A fault in a sentence, with what can be done about it. */
export function Trouble(props: { error: ErrorView }): React.ReactElement {
  const remedy = remedyOf(props.error);
  return (
    <Notice isTrouble={true} action={remedy && ACTIONS[remedy]}>
      {props.error.message}
    </Notice>
  );
}

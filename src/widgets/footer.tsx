import React from 'react';

import { CommandIds } from '../commandIds';
import { formatBytes } from '../model/format';
import { usePanel } from './context';
import { useObservable } from './useObservable';

/** Where the record is, how large, and the way to erase it. */
export function Footer(): React.ReactElement | null {
  const { model, commands } = usePanel();
  const { server } = model;
  useObservable(server);
  const store = server.store;
  if (!store) {
    return null;
  }
  return (
    <footer className="themisto-Footer">
      <span title={store.path}>
        {store.recording ? (
          <>
            {'Recording on this machine · '}
            <span className="themisto-Nowrap">
              {formatBytes(store.size_bytes)}
            </span>
          </>
        ) : (
          'Not recording: kept in memory only'
        )}
      </span>
      <button
        className="themisto-Link"
        onClick={() => void commands.execute(CommandIds.forget)}
      >
        forget…
      </button>
    </footer>
  );
}

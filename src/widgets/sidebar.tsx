import React from 'react';

import { Footer } from './footer';
import { Header } from './header';
import { NextCellSection } from './nextCellSection';
import { Notice, Trouble } from './notice';
import { OutputSection } from './outputSection';
import { PullNotice } from './pullNotice';
import { ScoresSection } from './scoresSection';
import { SentSection } from './sentSection';
import { StateSection } from './stateSection';
import { TrajectorySection } from './trajectorySection';
import { useObservable } from './useObservable';
import { usePanel } from './context';

/** The whole side panel, from top to bottom. */
export function Sidebar(): React.ReactElement {
  const { model } = usePanel();
  useObservable(model);
  const { server, notebook } = model;
  const note = notebook.kernel.view?.note;
  return (
    <>
      <Header />
      <div className="themisto-Sections">
        {server.trouble && <Trouble error={server.trouble} />}
        <PullNotice />
        {note && <Notice>{note}</Notice>}
        <NextCellSection />
        <OutputSection />
        <ScoresSection />
        <TrajectorySection />
        <StateSection />
        <SentSection />
      </div>
      <Footer />
    </>
  );
}

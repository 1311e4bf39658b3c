import { readFileSync } from 'fs';
import { join } from 'path';

import type {
  DeltaLine,
  ErrorView,
  ForgetView,
  KernelView,
  ModelsView,
  PredictionView,
  PullView,
  ScoresView,
  SentView,
  SettingsView,
  StateView,
  StatusView,
  StepsView,
  StoreView
} from '../api/generated';

/** The examples of what goes over the wire, which the tests of the server read too. */
export interface IExamples {
  'DeltaLine.state': DeltaLine;
  'DeltaLine.text': DeltaLine;
  ErrorView: ErrorView;
  ForgetView: ForgetView;
  KernelView: KernelView;
  ModelsView: ModelsView;
  PredictionView: PredictionView;
  PullView: PullView;
  ScoresView: ScoresView;
  SentView: SentView;
  SettingsView: SettingsView;
  StateView: StateView;
  StatusView: StatusView;
  StepsView: StepsView;
  StoreView: StoreView;
}

const FOLDER = join(__dirname, '..', '..', 'tests', 'fixtures', 'wire');

/** Read an example. */
export function example<K extends keyof IExamples>(name: K): IExamples[K] {
  const text = readFileSync(join(FOLDER, `${name}.json`), 'utf-8');
  return JSON.parse(text) as IExamples[K];
}

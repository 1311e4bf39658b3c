// Made by scripts/generate_types.py from themisto_lab/services/views.py: `jlpm generate:types` renews it.

/**
 * What is predicted.
 */
export type TaskKind = 'next_cell' | 'cell_output';

/**
 * The mean paired difference of two arms of one predictor on the same steps, with its 95 % interval.
 *
 * ``low`` and ``high`` are None with fewer than five pairs. ``sentence`` says it in words.
 */
export interface ArmDifference {
  task: TaskKind;
  predictor: string;
  arm: string;
  other_arm: string;
  metric: 'exact_match' | 'rouge_l' | 'rouge_l_code' | 'chrf';
  n: number;
  mean: number | null;
  low: number | null;
  high: number | null;
  sentence: string;
}
/**
 * ``POST predictions``: ask for a prediction now. Answered as an NDJSON stream of `DeltaLine`.
 *
 * ``trigger`` is ``pause`` when the user stopped typing in a cell, ``ask`` when they asked for it.
 */
export interface AskRequest {
  task: TaskKind;
  kernel_id: string;
  cell_id?: string | null;
  code?: string;
  below?: string | null;
  trigger?: 'pause' | 'ask';
}
/**
 * One output of a run, as text.
 *
 * Attributes
 * ----------
 * mime
 *     What the output is: one of ``MIME_STDOUT``, ``MIME_STDERR``, ``MIME_ERROR``, ``text/plain`` for a
 *     returned or displayed value, or the richest type of a value that has no useful text (``image/png``).
 * text
 *     The text of it; for ``MIME_ERROR`` the last line of the traceback, ``"NameError: ..."``; for a
 *     picture the text that stands for it, such as ``<Figure size 640x480 with 1 Axes>``.
 * truncated
 *     Whether text was cut away to stay within the limit on stored output.
 */
export interface CellOutput {
  mime: string;
  text: string;
  truncated: boolean;
}
/**
 * One NDJSON line of a prediction's stream.
 *
 * ``state`` lines carry the whole view (the first and the last line of a stream); ``text`` lines carry only
 * the text so far (cumulative, post-processed).
 */
export interface DeltaLine {
  type: 'state' | 'text';
  id: string;
  text: string;
  prediction: PredictionView | null;
}
/**
 * A prediction as the sidebar shows it.
 *
 * ``arm`` and ``predictor`` are None while a study is blind. ``truth`` and ``scores`` are set once the run
 * that it was about is over.
 */
export interface PredictionView {
  id: string;
  task: TaskKind;
  kernel_id: string;
  trajectory_id: string;
  target_index: number;
  cell_id: string | null;
  text: string;
  source: string;
  reason: string;
  status: 'running' | 'ready' | 'failed' | 'cancelled' | 'scored' | 'missed' | 'stale';
  shown: boolean;
  latency_s: number | null;
  error: ErrorView | null;
  truth: string | null;
  scores: ScoreView[];
  arm: string | null;
  predictor: string | null;
}
/**
 * What every route answers in place of a result: a stable code and one sentence with the remedy.
 */
export interface ErrorView {
  code: string;
  message: string;
}
/**
 * One metric's value for one prediction.
 */
export interface ScoreView {
  metric: 'exact_match' | 'rouge_l' | 'rouge_l_code' | 'chrf';
  value: number;
}
/**
 * ``POST predictions/<id>/feedback``: what the user did with a prediction.
 *
 * ``detail`` says more where there is more: the number of characters accepted, the surface (``sidebar``,
 * ``ghost``).
 */
export interface FeedbackRequest {
  action: 'shown' | 'inserted' | 'replaced' | 'copied' | 'accepted' | 'accepted_part' | 'edited' | 'dismissed';
  detail?: {
    [k: string]: unknown;
  };
}
/**
 * ``POST store/forget``: erase what matches. With several, all must match. ``everything`` stands alone.
 *
 * ``dry_run`` counts without erasing.
 */
export interface ForgetRequest {
  before?: string | null;
  notebook?: string | null;
  everything?: boolean;
  dry_run?: boolean;
}
/**
 * How much was erased (or would be, for a dry run).
 */
export interface ForgetView {
  n_trajectories: number;
  n_steps: number;
  n_predictions: number;
}
/**
 * ``GET kernels/<kernel_id>``: all that the sidebar shows about one notebook's kernel.
 *
 * ``note`` is one sentence where something can't be had (``"This kernel (R) shows no variables; ..."``).
 * ``next_cell`` is the latest shown next-cell prediction, ``last_next_cell`` the one before it with its
 * truth, ``output`` the latest shown forecast that has not been run, ``last_output`` the latest shown forecast
 * that was run, with its truth.
 */
export interface KernelView {
  kernel_id: string;
  trajectory_id: string;
  notebook: string;
  language: string;
  capability: 'full' | 'no_variables' | 'remote' | 'starting';
  note: string;
  enabled: boolean;
  running: boolean;
  n_steps: number;
  task_description: string;
  next_cell: PredictionView | null;
  last_next_cell: PredictionView | null;
  output: PredictionView | null;
  last_output: PredictionView | null;
}
/**
 * A closer look at what a cell's code touches, taken from the kernel before the cell is run.
 *
 * Attributes
 * ----------
 * values
 *     The values of the cell's expressions, in the order in which the cell uses them.
 * output
 *     The cell's whole output where its code is safe to evaluate and was; None where only a run can tell.
 * receipt
 *     What the look cost.
 */
export interface Look {
  values: LookedValue[];
  output: string | null;
  receipt: ProbeReceipt;
}
/**
 * The value of one expression of a cell, read from the kernel before the cell is run.
 *
 * Attributes
 * ----------
 * expression
 *     The expression's source, ``df['price'].dtype``.
 * type_name
 *     The qualified name of the value's exact type.
 * shown
 *     What a notebook shows where the expression stands last in a cell (``text/plain``); a summary where it is not
 *     ``exact``.
 * printed
 *     What ``print`` writes for it, where that differs from ``shown``; None where it is the same or not known.
 * exact
 *     Whether ``shown`` and ``printed`` are whole and to the letter.
 */
export interface LookedValue {
  expression: string;
  type_name: string;
  shown: string;
  printed: string | null;
  exact: boolean;
}
/**
 * What a look at the kernel's variables cost, and what it left alone.
 *
 * Attributes
 * ----------
 * cost_ms
 *     Time that it took inside the kernel, in milliseconds.
 * skipped
 *     What was told by its type's name alone because no safe and quick way to its value is known: the number of
 *     variables by type.
 * out_of_time
 *     How many variables were not looked at because the time was up.
 */
export interface ProbeReceipt {
  cost_ms: number;
  skipped: {
    [k: string]: number;
  };
  out_of_time: number;
}
/**
 * One message of a chat prompt.
 */
export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: string;
}
/**
 * One model of ``GET models``.
 *
 * ``ready``: the file is here. ``missing``: it can be pulled. ``loading``: the engine is starting.
 * ``unavailable``: no engine for this machine (``note`` says why). ``remote``: asked over the network.
 */
export interface ModelView {
  name: string;
  kind: 'local' | 'remote' | 'baseline';
  state: 'ready' | 'missing' | 'damaged' | 'pulling' | 'loading' | 'unavailable' | 'remote';
  size_bytes: number | null;
  path: string | null;
  licence: string | null;
  note: string;
}
/**
 * All models by name, and the one in use.
 */
export interface ModelsView {
  current: string;
  models: ModelView[];
}
/**
 * ``PUT kernels/<kernel_id>/notebook``: options that the notebook's metadata hold (key ``themisto``).
 */
export interface NotebookOptions {
  enabled?: boolean;
  task_description?: string;
}
/**
 * ``POST pulls``: start to fetch a model (or join a fetch under way). Answers a `PullView`.
 */
export interface PullRequest {
  name: string;
}
/**
 * ``GET pulls/<name>`` and each NDJSON line of ``GET pulls/<name>/stream``. ``DELETE`` cancels.
 *
 * ``bytes_per_s`` and ``left_s`` are None until they are known.
 */
export interface PullView {
  name: string;
  state: 'running' | 'done' | 'failed' | 'cancelled';
  done_bytes: number;
  total_bytes: number;
  bytes_per_s: number | null;
  left_s: number | null;
  source: string;
  error: ErrorView | null;
}
/**
 * Mean scores of one predictor in one arm on one task.
 *
 * ``n`` is the number of scored predictions; ``n_missed``, ``n_stale`` and ``n_failed`` are counted beside it.
 */
export interface ScoreRow {
  task: TaskKind;
  predictor: string;
  arm: string | null;
  shown: boolean;
  n: number;
  n_missed: number;
  n_stale: number;
  n_failed: number;
  exact_match: number | null;
  rouge_l: number | null;
  rouge_l_code: number | null;
  chrf: number | null;
}
/**
 * ``GET scores?kernel_id=...`` (one kernel life) or ``?notebook=...`` or neither (all).
 */
export interface ScoresView {
  n_steps: number;
  rows: ScoreRow[];
  differences: ArmDifference[];
}
/**
 * Exactly what a model was sent for one prediction, and what was left out of it.
 *
 * ``parts`` is the prompt's length by part, in tokens: ``transcript``, ``recalled``, ``state``, ``look``, ``target``.
 * ``receipts`` says what the looks at the kernel cost (``snapshot``, ``look``), and which types they left alone.
 */
export interface SentView {
  prediction_id: string;
  predictor: string | null;
  arm: string | null;
  prompt: string | null;
  messages: Message[];
  n_tokens: number;
  parts: {
    [k: string]: number;
  };
  receipts: {
    [k: string]: ProbeReceipt;
  };
  dropped: {
    [k: string]: number;
  };
  redactions: number;
  usage: Usage | null;
  cost: number | null;
  created_at: string;
}
/**
 * Tokens that a prediction took.
 *
 * Attributes
 * ----------
 * prompt_tokens, completion_tokens
 *     As the model's server counts them.
 * cached_tokens
 *     The part of the prompt that was reused from a cache.
 */
export interface Usage {
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens: number;
}
/**
 * ``GET settings`` and ``PUT settings``: what is in force.
 *
 * What a ``PUT`` leaves out is as the server was configured; the front end sends what its user chose.
 */
export interface SettingsView {
  enabled: boolean;
  recording: boolean;
  model: string;
  arms: string[];
  next_cell: 'run_end' | 'ask' | 'never';
  output: 'pause' | 'ask' | 'never';
  context_tokens: number;
  remote_allowed: boolean;
  remote_per_hour: number;
  timeout_s: number;
  store_cap_bytes: number;
}
/**
 * ``GET kernels/<kernel_id>/state``: the variables after the last run.
 *
 * ``as_of_step`` is None before the first run; ``running`` says that a cell is running, so that this may be old.
 */
export interface StateView {
  as_of_step: number | null;
  running: boolean;
  variables: VariableSnapshot[];
}
/**
 * One variable of the kernel's namespace, as seen after a run.
 *
 * Attributes
 * ----------
 * name
 *     The variable's name.
 * type_name
 *     The qualified name of its exact type, ``pandas.core.frame.DataFrame``.
 * shape
 *     Its shape, or its length as a 1-tuple, where the type tells without calling user code.
 * dtype
 *     The element type where there is one.
 * size_bytes
 *     An estimate of the memory that it holds, in bytes.
 * summary
 *     A short text in place of a repr. It never results from calling user code.
 * changed
 *     Whether the run that the snapshot follows created or changed the variable.
 */
export interface VariableSnapshot {
  name: string;
  type_name: string;
  shape: number[] | null;
  dtype: string | null;
  size_bytes: number | null;
  summary: string;
  changed: boolean;
}
/**
 * ``GET status``: the server's version, the state of what is behind it, one trouble at most.
 */
export interface StatusView {
  version: string;
  settings: SettingsView;
  model: ModelView;
  store: StoreView;
  trouble: ErrorView | null;
}
/**
 * ``GET store``: where the record is and how large.
 */
export interface StoreView {
  path: string;
  size_bytes: number;
  cap_bytes: number;
  recording: boolean;
  n_trajectories: number;
  n_steps: number;
  n_predictions: number;
}
/**
 * One step of ``GET kernels/<kernel_id>/steps?after=N`` (steps with an index of N or more, 200 at most).
 */
export interface StepView {
  index: number;
  cell_id: string | null;
  code: string;
  outputs: CellOutput[];
  status: 'ok' | 'error' | 'interrupted' | 'died';
  execution_count: number | null;
  execution_time_s: number;
  memory_bytes: number | null;
  started_at: string;
  hash_index: string;
  look: Look | null;
  receipt: ProbeReceipt | null;
}
/**
 * A page of steps, oldest first, and how many there are in all.
 */
export interface StepsView {
  steps: StepView[];
  total: number;
}

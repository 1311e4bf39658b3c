import React, { useEffect } from 'react';

import type { VariableSnapshot } from '../api/generated';
import { formatBytes } from '../model/format';
import { usePanel } from './context';
import { Notice, Trouble } from './notice';
import { Section } from './section';
import { useObservable } from './useObservable';

/** The kernel's variables as the model may see them. */
export function StateSection(): React.ReactElement {
  return <Section title="State">{() => <Content />}</Section>;
}

function Content(): React.ReactElement {
  const { model } = usePanel();
  const { state } = model;
  const { kernel } = model.notebook;
  useObservable(kernel, state);
  const view = kernel.view;
  const kernelId = view ? kernel.id : null;
  const version = `${view?.trajectory_id} ${view?.n_steps} ${view?.running}`;
  useEffect(() => {
    void state.want(kernelId, version);
  }, [state, kernelId, version]);

  if (state.error) {
    return <Trouble error={state.error} />;
  }
  const value = state.value;
  if (!value || value.variables.length === 0) {
    return <Notice>{view?.note || 'There are no variables yet.'}</Notice>;
  }
  return (
    <>
      {value.running && (
        <Notice>A cell is running: this is the state before it.</Notice>
      )}
      <table className="themisto-Variables">
        <thead className="themisto-Hidden">
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Size</th>
          </tr>
        </thead>
        {value.variables.map(variable => (
          <Variable key={variable.name} variable={variable} />
        ))}
      </table>
    </>
  );
}

function Variable(props: { variable: VariableSnapshot }): React.ReactElement {
  const { variable } = props;
  const type = variable.type_name.slice(
    variable.type_name.lastIndexOf('.') + 1
  );
  const shape = variable.shape ? ` (${variable.shape.join(' × ')})` : '';
  return (
    <tbody>
      <tr title={variable.type_name}>
        <th scope="row">
          {variable.name}
          {variable.changed && (
            <span className="themisto-Variables-changed"> changed</span>
          )}
        </th>
        <td>{type + shape}</td>
        <td>
          {variable.size_bytes === null ? '' : formatBytes(variable.size_bytes)}
        </td>
      </tr>
      {variable.summary && (
        <tr>
          <td colSpan={3} className="themisto-Variables-summary">
            {variable.summary}
          </td>
        </tr>
      )}
    </tbody>
  );
}

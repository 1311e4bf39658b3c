import schema from '../../../schema/plugin.json';
import { example } from '../../testing/wire';
import { DEFAULT_SETTINGS, toSettingsView } from '../settingsModel';

describe('settings', () => {
  const server = example('SettingsView');

  it("has the server's defaults in the page and in the schema", () => {
    expect(DEFAULT_SETTINGS).toEqual(server);
    const { side, ...properties } = schema.properties;
    const defaults = Object.fromEntries(
      Object.entries(properties).map(([key, property]) => [
        key,
        property.default
      ])
    );
    expect(defaults).toEqual(server);
    expect(side.default).toBe('right');
  });

  it('has a title for each setting, and words where the title is not enough', () => {
    for (const [key, property] of Object.entries(schema.properties)) {
      expect(property.title).toBeTruthy();
      const isExplained = 'description' in property || 'oneOf' in property;
      expect([key, isExplained]).toEqual([key, true]);
    }
  });

  it('sends the server all that it knows and nothing else', () => {
    const view = toSettingsView({ model: 'echo', side: 'left', other: 1 });
    expect(view).toEqual({ ...server, model: 'echo' });
  });
});

import schema from '../../../schema/plugin.json';
import { example } from '../../testing/wire';
import {
  chosenSettings,
  DEFAULT_SETTINGS,
  SettingsModel
} from '../settingsModel';

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

  it('sends the server what was chosen and nothing else', () => {
    const composite = { ...server, model: 'echo', side: 'left', other: 1 };
    expect(chosenSettings(composite)).toEqual({ model: 'echo' });
  });

  it('counts a choice that happens to be the default', () => {
    expect(chosenSettings({ ...server }, { timeout_s: 60 })).toEqual({
      timeout_s: 60
    });
  });

  it('shows what the server was configured with where nobody chose', () => {
    const model = new SettingsModel();
    model.adopt({ ...DEFAULT_SETTINGS, timeout_s: 120 });
    expect(model.view.timeout_s).toBe(120);
    expect(model.chosen).toEqual({});
  });
});

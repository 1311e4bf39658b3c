const {
  default: JupyterLabEnvironment
} = require('@jupyterlab/testing/lib/jest-env');

/**
 * The browser of the tests has no streams and no fetch of its own: Node's are the same by their standards.
 */
module.exports = class extends JupyterLabEnvironment {
  constructor(...args) {
    super(...args);
    Object.assign(this.global, {
      AbortController,
      AbortSignal,
      DOMException,
      ReadableStream,
      TextDecoder,
      TextEncoder,
      Uint8Array
    });
  }
};

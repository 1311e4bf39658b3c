/**
 * Read a stream of JSON lines, one value a line.
 *
 * @param body The stream of bytes; a line may be cut anywhere, also within a character.
 *
 * #### Notes
 * Leaving the loop early cancels the stream, which closes the connection.
 */
export async function* readJsonLines<T>(
  body: ReadableStream<Uint8Array>
): AsyncGenerator<T> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true });
      const lines = rest.split('\n');
      rest = done ? '' : (lines.pop() ?? '');
      for (const line of lines) {
        if (line.trim()) {
          yield JSON.parse(line) as T;
        }
      }
      if (done) {
        return;
      }
    }
  } finally {
    // After an abort the stream is broken already: there is nothing left to cancel.
    await reader.cancel().catch(() => undefined);
  }
}

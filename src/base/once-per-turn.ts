/** Gives a function that has `work` done in the next turn of the event loop: once, however often it is called until then. `work` must not throw. */
export function oncePerTurn(work: () => void): () => void {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    setImmediate(() => {
      asked = false;
      work();
    });
  };
}

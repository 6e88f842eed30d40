/** Waits for work, but no longer than until the signal is aborted; the work goes on and how it ends then no longer matters. Rejects as the work does. */
export async function untilAborted(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return void work.catch(() => undefined);
  await new Promise<void>((resolve, reject) => {
    const aborted = (): void => resolve();
    signal.addEventListener('abort', aborted, { once: true });
    work.then(() => resolve(), reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}

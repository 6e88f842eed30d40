/** Several messages in the form of upstream's aggregated errors: one alone as it is, more of them as `[a, b]`. */
export function aggregateText(messages: readonly string[]): string {
  return messages.length === 1 ? messages[0]! : `[${messages.join(', ')}]`;
}

/** The same, each message once. */
export function aggregateDistinct(messages: readonly string[]): string {
  return aggregateText([...new Set(messages)]);
}

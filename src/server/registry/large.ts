/** Bodies and objects of this many bytes keep the event loop busy at each of the steps of a write: others get their turn in between. */
export const LARGE_BYTES = 128 * 1024;

import { oncePerTurn } from './once-per-turn.js';
import { nextTurn } from './steps.js';

test('what is asked for several times in a turn is done once in the next one, and what the work itself asks for in the one after', async () => {
  let times = 0;
  const ask = oncePerTurn(() => {
    if (++times === 1) ask();
  });
  ask();
  ask();
  expect(times).toBe(0);
  await nextTurn();
  expect(times).toBe(1);
  await nextTurn();
  await nextTurn();
  expect(times).toBe(2);
});

import { directCommands } from './direct.js';
import { commandsContract } from './testsuite/contract.js';

commandsContract('direct', () => Promise.resolve(directCommands()));

import { describe } from '@jest/globals';
import { itKeepsTheBusContract } from './bus.contract.js';
import { MemoryBus, MemoryLink } from './memory-bus.js';

describe('the bus in process', () => {
  itKeepsTheBusContract(async () => {
    const bus = new MemoryBus();
    return { link: async () => new MemoryLink(bus) };
  });
});

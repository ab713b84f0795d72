import { defineFaults } from '../fault.ts'

/** Rate limits: tiers, routes, windows, and what they are counted for. */
export const LIMIT_FAULTS = defineFaults([
  {
    id: 'tier-limit',
    about: 'Tier limits are not counted',
    find: `if (tier) quotas.push({ ...tier, counter: \`tier:\${tier.tier}\` })`,
    replace: '',
    tests: ['src/app/service.test'],
  },
  {
    id: 'route-limit',
    about: 'Route limits are not counted',
    find: 'if (limit) quotas.push(',
    replace: 'if (limit && tier === null) quotas.push(',
    tests: ['test/identity/genesis.test'],
  },
  {
    id: 'unmatched-unmetered',
    about: 'Requests for unknown paths are not counted',
    find: 'app.notFound(async (c) => { await meter(c, description, limitAt(c.var.path))',
    replace: 'app.notFound(async (c) => {',
    tests: ['src/app/service.test'],
  },
  {
    id: 'address-limit-per-host',
    about: 'Addresses within one IPv6 /64 are counted separately',
    find: '...right].slice(0, prefixBits / GROUP_BITS)',
    replace: '...right].slice(0, 8)',
    tests: ['src/address.test'],
  },
  {
    id: 'limiter-fails-open',
    about: 'A limit whose binding is missing lets everything through',
    find: 'if (allowed === null) return this.#takeEmergency(quotas, address, now)',
    replace: 'if (allowed === null) continue',
    tests: ['src/limiter.test'],
  },
  {
    id: 'tier-loosest',
    about: 'When several tiers match a path, the loosest applies',
    find: 'named.reduce((a, b) => (b.limit < a.limit ? b : a))',
    replace: 'named.reduce((a, b) => (b.limit > a.limit ? b : a))',
    tests: ['src/tiers.test'],
  },
  {
    id: 'window-uncounted',
    about: 'The long window of an address is not counted',
    find: 'await window?.count(c)',
    replace: '',
    tests: ['src/limits/window.test'],
  },
  {
    id: 'window-one-more',
    about: 'A window allows one request more than its limit',
    find: 'if (counted.length < quota.limit || oldest === undefined) return 0',
    replace: 'if (counted.length <= quota.limit || oldest === undefined) return 0',
    tests: ['src/counter/counter.test'],
  },
  {
    id: 'caller-window-uncounted',
    about: 'The window of a caller is not counted',
    find: 'if (caller) await meterCaller(c, operation, caller)',
    replace: '',
    tests: ['test/limits.test'],
  },
  {
    id: 'caller-tier-anonymous',
    about: 'Authenticated callers get the anonymous limit',
    find: 'await meterTiers(c, operation.callerTiers, caller ?? null)',
    replace: 'await meterTiers(c, operation.callerTiers, null)',
    tests: ['test/search/tiers.test'],
  },
])

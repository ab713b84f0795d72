import { defineFaults } from '../fault.ts'

/** Rate limits: tiers, routes, windows, and what they are counted for. */
export const LIMIT_FAULTS = defineFaults([
  {
    id: 'tier-limit',
    promise: 'The rate limits of the pages are enforced.',
    find: `if (tier) quotas.push({ ...tier, counter: \`tier:\${tier.tier}\` })`,
    replace: '',
    tests: ['src/app/service.test'],
  },
  {
    id: 'route-limit',
    promise: 'The limit of a single operation is enforced.',
    find: 'if (limit) quotas.push(',
    replace: 'if (limit && tier === null) quotas.push(',
    tests: ['test/identity/genesis.test'],
  },
  {
    id: 'address-limit-per-host',
    promise: 'One IPv6 network counts as one caller.',
    find: '...right].slice(0, prefixBits / GROUP_BITS)',
    replace: '...right].slice(0, 8)',
    tests: ['src/address.test'],
  },
  {
    id: 'limiter-fails-open',
    promise: 'A limit without its counter refuses rather than admits.',
    find: 'if (allowed === null) return this.#takeEmergency(quotas, address, now)',
    replace: 'if (allowed === null) continue',
    tests: ['src/limiter.test'],
  },
  {
    id: 'window-uncounted',
    promise: 'The limit of an hour or a day is enforced.',
    find: 'await window?.count(c)',
    replace: '',
    tests: ['src/limits/window.test'],
  },
  {
    id: 'caller-window-uncounted',
    promise: 'Each caller has its own limit over hours.',
    find: 'if (caller) await meterCaller(c, operation, caller)',
    replace: '',
    tests: ['test/limits.test'],
  },
])
